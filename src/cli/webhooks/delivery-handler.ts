/** Handles the deliveries that `webhooks listen` receives: verifies the signature, forwards, records and prints. */
import type { IncomingMessage } from 'node:http';
import { UnwritableFile } from '../../client/settings/profiles.ts';
import { showTenantClock } from '../../contract/admin/tenants.ts';
import { TEST_EVENT } from '../../contract/events.ts';
import { DELIVERY_HEADERS } from '../../contract/headers.ts';
import type { LocalDaemon } from './endpoint-watcher.ts';
import type { ListenerState } from './listener-state.ts';
import { forward } from './receiver.ts';
import type { Routes } from './routes.ts';

/** A delivery as printed. */
export interface ReceivedDelivery {
  readonly event: string;
  /** Null for polled deliveries: the public API does not provide it. */
  readonly eventId: string | null;
  readonly deliveryId: string;
  readonly attempt: number;
  /** Null for polled deliveries. */
  readonly verified: boolean | null;
  /** Null for polled deliveries. */
  readonly data: unknown;
  /** Status with which the receiver responded; 0 if it could not be reached, null if nothing was forwarded. */
  readonly forwarded: number | null;
  /** Why the receiver could not be reached, such as `connection refused`. */
  readonly forwardError: string | null;
}

export interface DeliveryHandlerOptions {
  readonly local: LocalDaemon | undefined;
  readonly routes: Routes;
  readonly state: ListenerState;
  /** Aborts forwarding. */
  readonly signal: AbortSignal;
  readonly printNote: (text: string) => void;
  readonly print: (delivery: ReceivedDelivery) => void;
}

export type DeliveryHandler = Awaited<ReturnType<typeof createDeliveryHandler>>;

const GONE = 410;
const SERVICE_UNAVAILABLE = 503;
const UNAUTHORIZED = 401;

export async function createDeliveryHandler({ local, routes, state, signal, printNote, print }: DeliveryHandlerOptions) {
  const verify = await createVerifier(local);
  const remember = createRecorder(state, printNote);
  /** The last delivery of each event that is being handled. */
  const pending = new Map<string, Promise<number>>();
  // The service may deliver before its response has provided the secret.
  const firstSecret = Promise.withResolvers<void>();
  let secret = '';
  let lastStatus: number | null = null;

  async function handleDelivery(request: IncomingMessage, body: Buffer, isEarly: boolean): Promise<number> {
    const eventId = getHeader(request, DELIVERY_HEADERS.eventId);
    const problem = await verify(request.headers, body, secret);
    const verified = problem === undefined;
    // An endpoint was taken over and its secret changed after this delivery was signed: let the service sign and send it again.
    if (!verified && isEarly) return SERVICE_UNAVAILABLE;
    const isCheck = isConnectivityCheck(request, body);
    if (!verified && !isCheck) {
      printNote(`Rejected a request: signature not verified: ${problem}`);
      return UNAUTHORIZED;
    }
    // Only verified events are recorded as handled.
    if (verified && state.has(eventId)) return 200;
    const event = getHeader(request, DELIVERY_HEADERS.event);
    const url = routes(event);
    const answer = url === undefined ? undefined : await forward(url, verified ? request.headers : pickCheckHeaders(request), body, signal);
    const { status: forwarded = null, error: forwardError = null } = answer ?? {};
    lastStatus = forwarded ?? lastStatus;
    if (verified && (forwarded === null || (forwarded >= 200 && forwarded <= 299))) remember(eventId);
    const { data } = JSON.parse(body.toString('utf8')) as { data?: unknown };
    const deliveryId = getHeader(request, DELIVERY_HEADERS.deliveryId);
    const attempt = Number(getHeader(request, DELIVERY_HEADERS.attempt));
    print({ event, eventId, deliveryId, attempt, verified, data, forwarded, forwardError });
    // The endpoint of a local service is watched, which reports that it was disabled.
    if (forwarded === GONE && local === undefined)
      printNote('The receiver responded with 410 (Gone), so the service disables the endpoint');
    return forwarded === 0 ? 502 : (forwarded ?? 200);
  }

  return {
    async handle(request: IncomingMessage, body: Buffer): Promise<number> {
      const eventId = getHeader(request, DELIVERY_HEADERS.eventId);
      const isEarly = secret === '';
      // Deliveries of the same event wait for each other.
      const work = (pending.get(eventId) ?? firstSecret.promise).then(() => handleDelivery(request, body, isEarly));
      pending.set(eventId, work);
      try {
        return await work;
      } finally {
        if (pending.get(eventId) === work) pending.delete(eventId);
      }
    },
    /** Sets the signing secret of the endpoint. Deliveries wait for the first one. */
    setSecret(newSecret: string): void {
      secret = newSecret;
      firstSecret.resolve();
    },
    /** Status with which the receiver responded last; null if nothing was forwarded yet. */
    get lastStatus() {
      return lastStatus;
    },
  };
}

const getHeader = ({ headers }: IncomingMessage, name: string): string => String(headers[name.toLowerCase()] ?? '');

/** Whether it is the event that the service sends unsigned to check the connection (W-8), as it looks like. */
function isConnectivityCheck(request: IncomingMessage, body: Buffer): boolean {
  if (getHeader(request, DELIVERY_HEADERS.event) !== TEST_EVENT) return false;
  try {
    return (JSON.parse(body.toString('utf8')) as { event?: unknown } | null)?.event === TEST_EVENT;
  } catch {
    return false;
  }
}

/** Any program of this machine can send a check, so nothing else of it is forwarded, such as a cookie. */
const pickCheckHeaders = (request: IncomingMessage): IncomingMessage['headers'] => ({
  'content-type': 'application/json',
  [DELIVERY_HEADERS.event]: getHeader(request, DELIVERY_HEADERS.event),
});

/** Creates a function that returns why a signature is not valid, or undefined. */
async function createVerifier(local: LocalDaemon | undefined) {
  const { verifyWebhook, WebhookVerificationError } = await import('../../webhook-verifier/verify.ts');
  // The tenant may have a test clock. Its offset is read again when a signature seems stale, because the clock can change at any time.
  let offsetMs = 0;
  return async (headers: IncomingMessage['headers'], body: Buffer, secret: string): Promise<string | undefined> => {
    const check = () => verifyWebhook(body, headers, secret, { now: new Date(Date.now() + offsetMs) });
    try {
      try {
        check();
      } catch (error) {
        if (local === undefined || !(error instanceof WebhookVerificationError && error.reason === 'stale')) throw error;
        const { data } = (await local.createAdminClient().perform(showTenantClock, { params: { tenant: local.tenant } })).body;
        offsetMs = Date.parse(data.now) - Date.now();
        check();
      }
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  };
}

/** Creates a function that records handled events. If the file cannot be written, it says so once: the deliveries are acknowledged all the same. */
function createRecorder(state: ListenerState, printNote: (text: string) => void): (eventId: string) => void {
  let hasFailed = false;
  return (eventId) => {
    try {
      state.add(eventId);
    } catch (error) {
      if (!(error instanceof UnwritableFile)) throw error;
      if (!hasFailed) printNote(`${error.message}; if this command is killed, --since last repeats the events from now on`);
      hasFailed = true;
    }
  };
}
