/** Sends deliveries over HTTP. Does not follow redirects. W-3, W-4. */
import type { Agent, Dispatcher } from 'undici';
import { DELIVERY_RESPONSE_MAX_BYTES } from '../contract/limits.ts';
import type { DeliveryError } from '../contract/resources/webhooks.ts';
import type { AttemptOutcome } from '../domain/events/delivery-state.ts';
import type { TargetPolicy } from '../domain/webhooks/target-policy.ts';
import { ResponseCapture } from './response-capture.ts';
import { type Resolve, TargetBlocked, createGuardedConnector } from './target-guard.ts';

export interface DeliveryRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly timeoutMs: number;
  /** Time of the service's clock: the signed timestamp, and the reference for a date in `Retry-After`. */
  readonly startedAt: Date;
}

export interface Sender {
  /** Never rejects. Undefined when the sender was closed during the request: whether the receiver processed it is unknown. */
  send(post: DeliveryRequest): Promise<AttemptOutcome | undefined>;
  /** Aborts the requests in progress. */
  close(): Promise<void>;
}

const KEEP_ALIVE_MS = 4_000;

export interface SenderOptions {
  readonly targets: TargetPolicy;
  /** For tests: instead of DNS. */
  readonly resolve?: Resolve;
}

export function createSender({ targets, resolve }: SenderOptions): Sender {
  let agent: Agent | undefined;
  /** On first use, because loading undici takes longer than the rest of the delivery code. */
  const getAgent = async (): Promise<Agent> => {
    const undici = await import('undici');
    return (agent ??= new undici.Agent({
      connect: createGuardedConnector(undici.buildConnector, targets, resolve),
      // One request per connection and no limit on connections: undici's limit is per host, and endpoints of one host must not block each
      // other.
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      // The sender has its own timer for the whole attempt; undici's timers are coarse.
      headersTimeout: 0,
      bodyTimeout: 0,
    }));
  };
  const attempts = new ActiveAttempts();
  const getTarget = createTargetCache();
  let isClosed = false;
  return {
    send: ({ url, headers, body, timeoutMs, startedAt }) =>
      new Promise((resolveOutcome) => {
        if (isClosed) {
          resolveOutcome(undefined);
          return;
        }
        const startedMs = performance.now();
        let httpStatus: number | null = null;
        let retryAfter: string | string[] | undefined;
        let capture: ResponseCapture | undefined;
        let bytes = 0;
        let abortRequest: ((reason: Error) => void) | undefined;
        let isSettled = false;
        const settle = (error: DeliveryError | null): void => {
          if (isSettled) return;
          isSettled = true;
          clearTimeout(timer);
          attempts.remove(attempt);
          const retryAfterSeconds = httpStatus !== null && httpStatus > 299 ? parseRetryAfter(retryAfter, startedAt) : null;
          const milliseconds = Math.round(performance.now() - startedMs);
          const response = capture && { response: capture.getResponse() };
          const outcome = { startedAt, milliseconds, httpStatus, error, retryAfterSeconds, ...response };
          resolveOutcome(isClosed && httpStatus === null ? undefined : outcome);
        };
        // Once there is a status it decides the outcome, even if the rest of the response fails.
        const finish = (error: DeliveryError): void => settle(httpStatus === null ? error : toStatusError(httpStatus));
        const abort = (): void => {
          finish('timeout');
          abortRequest?.(ABORTED);
        };
        const timer = setTimeout(abort, timeoutMs);
        const attempt = attempts.add(abort);
        // undici's low-level API: the stream and the signal of `request` would cost more than the rest of an attempt.
        const handler: Dispatcher.DispatchHandler = {
          onRequestStart(controller) {
            abortRequest = (reason) => controller.abort(reason);
            if (isSettled) abortRequest(ABORTED);
          },
          onResponseStart(_controller, statusCode, responseHeaders) {
            if (statusCode < 200) return;
            httpStatus = statusCode;
            retryAfter = responseHeaders['retry-after'];
            // Only failures are recorded, so that a success costs nothing.
            if (toStatusError(statusCode) !== null) capture = new ResponseCapture(responseHeaders);
          },
          // The body is read, up to a limit, so that the connection can be used again.
          onResponseData(controller, chunk) {
            bytes += chunk.length;
            capture?.add(chunk);
            if (bytes <= DELIVERY_RESPONSE_MAX_BYTES) return;
            finish('response_too_large');
            controller.abort(ABORTED);
          },
          onResponseEnd: () => finish('connection_reset'),
          onResponseError: (_controller, error) => finish(toDeliveryError(error)),
        };
        const dispatch = (dispatcher: Agent): void => {
          // While undici was loading, the sender was closed or the attempt timed out.
          if (isSettled) return;
          try {
            dispatcher.dispatch({ ...getTarget(url), method: 'POST', headers, body }, handler);
          } catch (error) {
            finish(toDeliveryError(error));
          }
        };
        if (agent) dispatch(agent);
        else getAgent().then(dispatch, (error: unknown) => finish(toDeliveryError(error)));
      }),
    async close() {
      isClosed = true;
      attempts.abortAll();
      await agent?.destroy();
    },
  };
}

interface Attempt {
  readonly abort: () => void;
  index: number;
}

/**
 * The attempts in progress. Not a Set: a Set that changes constantly replaces its hash table again and again, and each old table refers
 * to the next one. Once one of them is in the old generation, the garbage collector keeps all that follow, with every attempt in them,
 * until a full collection.
 */
class ActiveAttempts {
  readonly #attempts: Attempt[] = [];

  add(abort: () => void): Attempt {
    const attempt = { abort, index: this.#attempts.length };
    this.#attempts.push(attempt);
    return attempt;
  }

  /** Moves the last attempt to its place. */
  remove(attempt: Attempt): void {
    const last = this.#attempts.pop();
    if (last === undefined || last === attempt) return;
    last.index = attempt.index;
    this.#attempts[attempt.index] = last;
  }

  abortAll(): void {
    // A copy, because each attempt removes itself.
    for (const { abort } of this.#attempts.slice()) abort();
  }
}

const ABORTED = new Error('the attempt was aborted');
const MAX_CACHED_TARGETS = 1_000;

/** Parses each URL only once. */
function createTargetCache(): (url: string) => { origin: string; path: string } {
  const targets = new Map<string, { origin: string; path: string }>();
  return (url) => {
    let target = targets.get(url);
    if (!target) {
      const { origin, pathname, search } = new URL(url);
      target = { origin, path: pathname + search };
      if (targets.size >= MAX_CACHED_TARGETS) targets.clear();
      targets.set(url, target);
    }
    return target;
  };
}

export function toStatusError(status: number): DeliveryError | null {
  if (status >= 200 && status <= 299) return null;
  if (status >= 300 && status <= 399) return 'redirect_not_followed';
  return status === 410 ? 'endpoint_gone' : `http_${status}`;
}

/** Seconds to wait, from a number of seconds or a date (RFC 9110 §10.2.3). */
function parseRetryAfter(header: string | string[] | undefined, now: Date): number | null {
  const text = (Array.isArray(header) ? header[0] : header)?.trim();
  if (text === undefined || text === '') return null;
  if (/^\d+$/u.test(text)) return Number(text);
  const time = Date.parse(text);
  return Number.isNaN(time) ? null : Math.max(0, Math.ceil((time - now.getTime()) / 1_000));
}

function toDeliveryError(error: unknown): DeliveryError {
  if (error instanceof TargetBlocked) return 'target_blocked';
  const codes = listErrorCodes(error);
  const hasAny = (...expected: readonly string[]): boolean => codes.some((code) => expected.includes(code));
  if (hasAny('ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EACCES')) return 'connection_refused';
  if (hasAny('ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'ENODATA')) return 'dns_not_found';
  if (hasAny('UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT')) return 'timeout';
  if (hasAny('UND_ERR_HEADERS_OVERFLOW', 'HPE_HEADER_OVERFLOW')) return 'response_too_large';
  if (codes.some((code) => TLS_ERROR_CODE.test(code))) return 'tls_error';
  return 'connection_reset';
}

const TLS_ERROR_CODE = /^(?:ERR_TLS|ERR_SSL|EPROTO|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH)/u;

/** The codes of an error, of its causes and of the errors it aggregates. */
function listErrorCodes(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const { code, cause } = error as NodeJS.ErrnoException;
  const inner = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  return [...(typeof code === 'string' ? [code] : []), ...[cause, ...inner].flatMap(listErrorCodes)];
}
