/**
 * `webhooks listen`: a receiver of its own on this machine, an endpoint that points at it, and a file that remembers what was handled.
 * After a kill the old endpoint is replaced, and the service is asked to deliver what happened since the first start once more to the
 * new one; what the file knows is acknowledged and not handled again.
 *
 * A service elsewhere needs an address under which it reaches the receiver (a tunnel), and cannot be asked for what is over: there a
 * killed run's endpoint is taken over, whose deliveries the service has kept trying. Without such an address nothing is received;
 * `listenFromAfar` tells what the service says of its deliveries.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Client } from '../client/client.ts';
import { checkedUrl } from './address.ts';
import { ApiError } from '../client/errors.ts';
import { NotSaved } from '../client/saved.ts';
import { backfillWebhook } from '../contract/admin/webhooks.ts';
import { type SubscribableEvent, events as allEvents } from '../contract/events.ts';
import { DELIVERY_HEADERS } from '../contract/headers.ts';
import type { Env } from '../contract/places.ts';
import { createWebhook, deleteWebhook, updateWebhook } from '../contract/webhooks.ts';
import { usage } from './failure.ts';
import { openMemory } from './listen-memory.ts';
import { type Local, watchEndpoint } from './listen-watch.ts';
import { pollDeliveries } from './poll.ts';
import { timeOf } from './since.ts';

/** What is printed of each delivery. */
export interface Heard {
  readonly event: string;
  /** Null when the delivery went elsewhere: the public API does not tell it. */
  readonly eventId: string | null;
  readonly deliveryId: string;
  readonly attempt: number;
  /** Null when it was not seen here. */
  readonly verified: boolean | null;
  /** Null when it was not seen here. */
  readonly data: unknown;
  /** What the receiver answered; 0 when it could not be reached, null when nothing was forwarded. */
  readonly forwarded: number | null;
}

/** How the service reaches the receiver. */
export interface Reach {
  /** Instead of the receiver's own address on this machine. */
  readonly publicUrl: string | undefined;
  /** Of the receiver; a free one when undefined. */
  readonly port: number | undefined;
}

/** The receiver of an event, undefined when it is only printed. */
export type Routes = (event: string) => string | undefined;

export interface ListenOptions extends Reach {
  /** The service as it is now: a daemon that was restarted is another one. */
  connect(): Client;
  /** When the service is the daemon of this machine. */
  readonly local: Local | undefined;
  readonly events: readonly SubscribableEvent[];
  readonly routes: Routes;
  /** Begin with what was missed. */
  readonly goOn: boolean;
  /** Tells the memory of one profile and service from that of another. */
  readonly name: string;
  readonly env: Env;
  /** From now on there is something to remove at the end. */
  begun(): void;
  readonly note: (text: string) => void;
  readonly print: (heard: Heard) => void;
}

/** `events`: those that are listened for. */
export function routesOf(events: readonly string[], forwardTo: string | undefined, routes: readonly string[] = []): Routes {
  const own = new Map<string, string>();
  for (const text of routes) {
    const at = text.indexOf('=');
    const event = text.slice(0, Math.max(0, at));
    if (!Object.hasOwn(allEvents, event))
      throw usage(`--route ${text} is not of the form EVENT=URL`, 'for example --route order.created=http://127.0.0.1:3000/hooks');
    if (own.has(event)) throw usage(`there are two routes for ${event}`, 'each event goes to one receiver, whose answer is recorded');
    if (!events.includes(event)) throw usage(`--route ${text}: ${event} is not listened for`, 'add it to --events, or leave that out');
    own.set(event, checkedUrl(text.slice(at + 1), '--route'));
  }
  const rest = forwardTo === undefined ? undefined : checkedUrl(forwardTo, '--forward-to');
  return (event) => own.get(event) ?? rest;
}

export interface Listener {
  /** Resolves when nothing can come any more, with the reason; never for a service elsewhere. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

export async function startListening(options: ListenOptions): Promise<Listener> {
  const { connect, local, events, routes, goOn, publicUrl, port, begun, note, print } = options;
  const memory = openMemory(options.env, options.name, goOn);
  const { verifyWebhook, WebhookVerificationError } = await import('../webhooks/verify.ts');
  const busy = new Map<string, Promise<number>>();
  let secret = '';
  let answered: number | null = null;
  /** The service may deliver before its answer has told the secret. */
  const known = Promise.withResolvers<void>();

  /** How far the clock of the service is ahead; asked again when a signature seems stale, because a test clock may be moved at any time. */
  let aheadMs = 0;
  const verify = async (headers: IncomingMessage['headers'], body: Buffer): Promise<void> => {
    const check = () => verifyWebhook(body, headers, secret, { now: new Date(Date.now() + aheadMs) });
    try {
      check();
    } catch (error) {
      if (local === undefined || !(error instanceof WebhookVerificationError && error.reason === 'stale')) throw error;
      aheadMs = (await timeOf(local.admin())).getTime() - Date.now();
      check();
    }
  };

  /** Nobody waits for receivers any more. */
  const stopping = new AbortController();
  let forgets = false;
  /** What was handled is acknowledged all the same: it would come again and again. */
  const remember = (eventId: string): void => {
    try {
      memory.add(eventId);
    } catch (error) {
      if (!(error instanceof NotSaved)) throw error;
      if (!forgets) note(`${error.message}; after a kill, --since last would repeat what is handled from now on`);
      forgets = true;
    }
  };

  const handle = async (request: IncomingMessage, body: Buffer, isEarly: boolean): Promise<number> => {
    const header = (name: string) => String(request.headers[name.toLowerCase()] ?? '');
    const eventId = header(DELIVERY_HEADERS.eventId);
    let verified = true;
    let reason = '';
    try {
      await verify(request.headers, body);
    } catch (error) {
      verified = false;
      reason = (error as Error).message;
    }
    // Sent to an endpoint that was just taken over, and signed before its secret was changed: it comes again, signed anew.
    if (!verified && isEarly) return AGAIN;
    // Only what stockroom itself has signed is remembered as handled.
    if (verified && memory.has(eventId)) return 200;
    const event = header(DELIVERY_HEADERS.event);
    const url = routes(event);
    const forwarded = url === undefined ? null : await forward(url, request, body, stopping.signal);
    answered = forwarded ?? answered;
    if (verified && (forwarded === null || (forwarded >= 200 && forwarded <= 299))) remember(eventId);
    const { data } = JSON.parse(body.toString('utf8')) as { data?: unknown };
    print({
      event,
      eventId,
      deliveryId: header(DELIVERY_HEADERS.deliveryId),
      attempt: Number(header(DELIVERY_HEADERS.attempt)),
      verified,
      data,
      forwarded,
    });
    if (!verified) note(`not verified: ${reason}`);
    // A service on this machine is watched, and says it of itself.
    if (forwarded === GONE && local === undefined) note('the receiver answered 410 (gone), for which a service disables an endpoint');
    return forwarded === 0 ? 502 : (forwarded ?? 200);
  };

  const answer = async (response: ServerResponse, id: string, work: Promise<number>): Promise<void> => {
    const status = await work.catch(() => 500);
    if (busy.get(id) === work) busy.delete(id);
    response.writeHead(status).end();
  };
  const server = process.getBuiltinModule('node:http').createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const id = String(request.headers[DELIVERY_HEADERS.eventId.toLowerCase()] ?? '');
      const isEarly = secret === '';
      // Two deliveries of one event wait for each other.
      const work = (busy.get(id) ?? known.promise).then(() => handle(request, Buffer.concat(parts), isEarly));
      busy.set(id, work);
      void answer(response, id, work);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? usage(`port ${String(port)} is taken by another program`, 'choose another --port') : error),
    );
    server.listen(port ?? 0, '127.0.0.1', resolve);
  });
  const close = () => {
    stopping.abort();
    server.close();
    server.closeAllConnections();
  };
  const targetUrl = publicUrl ?? `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`;
  const old = memory.endpoint;
  const begin = ({ data, signingSecret }: Awaited<ReturnType<typeof register>>): string => {
    secret = signingSecret ?? '';
    memory.begin(data.id, data.createdAt);
    return data.id;
  };
  const enlist = async (): Promise<string> => {
    const client = connect();
    const kept = goOn && local === undefined && old !== null ? await takeOver(client, old, targetUrl, events) : undefined;
    const made = kept ?? (await register(client, targetUrl, events));
    const { id, createdAt } = made.data;
    begin(made);
    begun();
    known.resolve();
    if (old !== null && old !== id) await removeEndpoint(client, old);
    for (const endpoint of memory.left) await removeEndpoint(client, endpoint);
    memory.forgetLeft();
    if (local === undefined) {
      if (kept) note('going on: the endpoint of the last run gets what it missed at the next attempts of the service');
      else if (goOn) note('nothing to go on with: this service tells what is over only to an endpoint that a run has left behind');
    } else if (goOn && memory.since !== createdAt) {
      const query = { tenant: local.tenant };
      const asked = { params: { webhook_id: id }, query, body: { since: memory.since } };
      const { deliveries } = (await local.admin().call(backfillWebhook, asked)).body.data;
      note(`going on: ${String(deliveries)} events since ${memory.since}, those handled already among them`);
    }
    return id;
  };
  // A receiver that nobody knows of would keep the command from ending.
  let id = await enlist().catch((error: unknown) => {
    close();
    throw error;
  });
  const watching = new AbortController();
  const watched =
    local &&
    watchEndpoint({
      local,
      id: () => id,
      // The data that knew the endpoint are gone, or those of another time are back.
      async renew() {
        id = begin(await register(connect(), targetUrl, events));
      },
      answered: () => answered,
      note,
      signal: watching.signal,
    });
  return {
    ended: new Promise((resolve, reject) => {
      watched?.then((reason) => reason !== undefined && resolve(reason), reject);
    }),
    async stop() {
      watching.abort();
      try {
        // It may be making another endpoint.
        await watched;
        await removeEndpoint(connect(), id);
        memory.end();
      } finally {
        close();
      }
    },
  };
}

async function register(client: Client, targetUrl: string, events: readonly SubscribableEvent[]) {
  const description = 'Temporary: removed when the command ends.';
  const body = { name: 'stockroom webhooks listen', targetUrl, subscribedEvents: events, description };
  return (await client.call(createWebhook, { body })).body;
}

/** The endpoint that a killed run has left behind, with a secret that is known; undefined when it is gone. */
async function takeOver(client: Client, id: string, targetUrl: string, events: readonly SubscribableEvent[]) {
  const params = { webhook_id: id };
  try {
    await client.call(updateWebhook, { params, body: { targetUrl, subscribedEvents: events, status: 'active' } });
    return (await client.call(updateWebhook, { params, body: { rotateSecret: true } })).body;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

/** Tells of the events of a service that cannot reach this machine, as its public API tells them: each delivery once, that it is there, not what it says. Has no end. */
export async function listenFromAfar({
  client,
  events,
  goOn,
  name,
  env,
  note,
  print,
}: Pick<ListenOptions, 'events' | 'goOn' | 'name' | 'env' | 'note' | 'print'> & { readonly client: Client }): Promise<void> {
  const memory = openMemory(env, name, goOn);
  const since = goOn && memory.since !== '' ? memory.since : undefined;
  // An endpoint that a run has left behind is not forgotten.
  memory.begin(memory.endpoint, new Date().toISOString());
  for await (const { id, eventType, attempts } of pollDeliveries({ client, query: {}, since, note })) {
    if (!events.includes(eventType) || memory.has(id)) continue;
    memory.add(id);
    print({ event: eventType, eventId: null, deliveryId: id, attempt: attempts, verified: null, data: null, forwarded: null });
  }
}

/** The tenant of a client's key, as the settings plane asks for it. */
export async function tenantOf(client: Client): Promise<string> {
  const { body } = await client.send({ method: 'GET', path: '/v1/auth/context' });
  return (body as { data: { tenant: { id: string } } }).data.tenant.id;
}

/** Somebody may have deleted it already. */
async function removeEndpoint(client: Client, id: string): Promise<void> {
  try {
    await client.call(deleteWebhook, { params: { webhook_id: id } });
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
  }
}

const GONE = 410;
const AGAIN = 503;
const FORWARD_TIMEOUT_MS = 14_000;
/** Headers of the connection, which the forwarded request has anew. */
const HOP = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive']);

/** The status of the answer, 0 when there was none. What comes behind the status is read for a while, because some receivers want that. */
function forward(url: string, { headers }: IncomingMessage, body: Buffer, stopping: AbortSignal): Promise<number> {
  const http = url.startsWith('https:') ? process.getBuiltinModule('node:https') : process.getBuiltinModule('node:http');
  const own = Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP.has(name)));
  return new Promise((resolve) => {
    const request = http.request(
      url,
      {
        method: 'POST',
        headers: { ...own, 'content-length': body.length },
        signal: AbortSignal.any([stopping, AbortSignal.timeout(FORWARD_TIMEOUT_MS)]),
      },
      (response) => {
        response.on('error', () => undefined).resume();
        resolve(response.statusCode ?? 0);
      },
    );
    request.on('error', () => resolve(0));
    // All that is told of an answer that changes the protocol (101).
    request.once('close', () => resolve(0));
    request.end(body);
  });
}
