/**
 * `webhooks listen`: a receiver of its own on this machine, an endpoint that points at it, and a file that remembers what was handled.
 * After a kill the old endpoint is replaced, and the service is asked to deliver what happened since the first start once more to the
 * new one; what the file knows is acknowledged and not handled again.
 */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import type { Client } from '../client/client.ts';
import { ApiError } from '../client/errors.ts';
import { backfillWebhook } from '../contract/admin/webhooks.ts';
import { type SubscribableEvent, events as allEvents } from '../contract/events.ts';
import { DELIVERY_HEADERS } from '../contract/headers.ts';
import { EVENT_LOG_MAX_ROWS } from '../contract/limits.ts';
import { type Env, configDirectory } from '../contract/places.ts';
import { createWebhook, deleteWebhook } from '../contract/webhooks.ts';
import { usage } from './failure.ts';

/** What is printed of each delivery. */
export interface Heard {
  readonly event: string;
  readonly eventId: string;
  readonly deliveryId: string;
  readonly attempt: number;
  readonly verified: boolean;
  readonly data: unknown;
  /** What the receiver answered; 0 when it could not be reached, null when nothing was forwarded. */
  readonly forwarded: number | null;
}

/** The receiver of an event, undefined when it is only printed. */
export type Routes = (event: string) => string | undefined;

export interface ListenOptions {
  readonly client: Client;
  readonly admin: Client;
  readonly events: readonly SubscribableEvent[];
  readonly routes: Routes;
  /** Begin with what was missed. */
  readonly goOn: boolean;
  /** Tells the memory of one profile from that of another. */
  readonly name: string;
  readonly env: Env;
  readonly note: (text: string) => void;
  readonly print: (heard: Heard) => void;
}

export function routesOf(forwardTo: string | undefined, routes: readonly string[] = []): Routes {
  const own = new Map(
    routes.map((text) => {
      const at = text.indexOf('=');
      const event = text.slice(0, Math.max(0, at));
      if (!(event in allEvents))
        throw usage(`--route ${text} is not of the form EVENT=URL`, 'for example --route order.created=http://127.0.0.1:3000/hooks');
      return [event, checkedUrl(text.slice(at + 1), '--route')] as const;
    }),
  );
  const rest = forwardTo === undefined ? undefined : checkedUrl(forwardTo, '--forward-to');
  return (event) => own.get(event) ?? rest;
}

function checkedUrl(text: string, flag: string): string {
  if (!/^https?:\/\//u.test(text) || !URL.canParse(text)) throw usage(`${flag}: "${text}" is not an http or https address`);
  return text;
}

export async function startListening(options: ListenOptions): Promise<{ stop(): Promise<void> }> {
  const { client, admin, events, routes, goOn, note, print } = options;
  const memory = openMemory(join(configDirectory(options.env), `listen-${options.name}.ndjson`), goOn);
  const { verifyWebhook } = await import('../webhooks/verify.ts');
  const busy = new Map<string, Promise<number>>();
  let secret = '';

  const handle = async (request: IncomingMessage, body: Buffer): Promise<number> => {
    const header = (name: string) => String(request.headers[name.toLowerCase()] ?? '');
    const eventId = header(DELIVERY_HEADERS.eventId);
    let verified = true;
    let reason = '';
    try {
      verifyWebhook(body, request.headers, secret);
    } catch (error) {
      verified = false;
      reason = (error as Error).message;
    }
    // Only what stockroom itself has signed is remembered as handled.
    if (verified && memory.has(eventId)) return 200;
    const event = header(DELIVERY_HEADERS.event);
    const url = routes(event);
    const forwarded = url === undefined ? null : await forward(url, request, body);
    if (verified && (forwarded === null || (forwarded >= 200 && forwarded <= 299))) memory.add(eventId);
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
      // Two deliveries of one event wait for each other.
      const work = (busy.get(id) ?? Promise.resolve(0)).then(() => handle(request, Buffer.concat(parts)));
      busy.set(id, work);
      void answer(response, id, work);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const targetUrl = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`;
  const created = await client.call(createWebhook, {
    body: {
      name: 'stockroom webhooks listen',
      targetUrl,
      subscribedEvents: events,
      description: 'Temporary: removed when the command ends.',
    },
  });
  const { id, createdAt } = created.body.data;
  secret = created.body.signingSecret ?? '';
  const old = memory.endpoint;
  memory.begin(id, createdAt);
  if (old !== null) await removeEndpoint(client, old);
  if (goOn && memory.since !== createdAt) {
    const query = await tenantOf(client);
    const { deliveries } = (await admin.call(backfillWebhook, { params: { webhook_id: id }, query, body: { since: memory.since } })).body
      .data;
    note(`going on: ${String(deliveries)} events since ${memory.since}, those handled already among them`);
  }
  note(`listening for ${events.length === 1 ? String(events[0]) : `${String(events.length)} events`}; Ctrl-C ends it`);
  return {
    async stop() {
      await removeEndpoint(client, id);
      memory.begin(null, memory.since);
      server.close();
      server.closeAllConnections();
    },
  };
}

async function tenantOf(client: Client): Promise<{ tenant: string }> {
  const { body } = await client.send({ method: 'GET', path: '/v1/auth/context' });
  return { tenant: (body as { data: { tenant: { id: string } } }).data.tenant.id };
}

/** Somebody may have deleted it already. */
async function removeEndpoint(client: Client, id: string): Promise<void> {
  try {
    await client.call(deleteWebhook, { params: { webhook_id: id } });
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
  }
}

const FORWARD_TIMEOUT_MS = 14_000;
/** Headers of the connection, which the forwarded request has anew. */
const HOP = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive']);

/** The status of the answer, 0 when there was none. */
function forward(url: string, { headers }: IncomingMessage, body: Buffer): Promise<number> {
  const http = url.startsWith('https:') ? process.getBuiltinModule('node:https') : process.getBuiltinModule('node:http');
  const own = Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP.has(name)));
  return new Promise((resolve) => {
    const request = http.request(
      url,
      { method: 'POST', headers: { ...own, 'content-length': body.length }, timeout: FORWARD_TIMEOUT_MS },
      (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      },
    );
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(0));
    request.end(body);
  });
}

interface Memory {
  /** The endpoint of the last run, when that was killed. */
  readonly endpoint: string | null;
  /** Since when every event has been handled or is still to come. */
  readonly since: string;
  has(eventId: string): boolean;
  add(eventId: string): void;
  begin(endpoint: string | null, since: string): void;
}

/** A file with one line for the run and one for each handled event; appended to, so that a kill loses nothing that was written. */
function openMemory(path: string, goOn: boolean): Memory {
  let lines: string[] = [];
  try {
    lines = readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const [head, ...ids] = lines;
  let state = { endpoint: null as string | null, since: '' };
  if (head !== undefined) state = JSON.parse(head) as typeof state;
  const handled = new Set(goOn ? ids.slice(-EVENT_LOG_MAX_ROWS) : []);
  const known = goOn && state.since !== '';
  return {
    get endpoint() {
      return state.endpoint;
    },
    get since() {
      return state.since;
    },
    has: (eventId) => handled.has(eventId),
    add(eventId) {
      handled.add(eventId);
      appendFileSync(path, `${eventId}\n`);
    },
    begin(endpoint, since) {
      state = { endpoint, since: known ? state.since : since };
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      writeFileSync(path, `${[JSON.stringify(state), ...handled].join('\n')}\n`, { mode: 0o600 });
    },
  };
}
