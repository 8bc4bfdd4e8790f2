/**
 * The receivers of the demo's webhook endpoints: an HTTP server on loopback that checks deliveries like any receiver and responds as
 * `webhook-answers.ts` says. It stores nothing. Its own port, because deliveries to the ports of the service are blocked (W-9).
 */
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TEST_EVENT } from '../contract/events.ts';
import { DELIVERY_HEADERS } from '../contract/headers.ts';
import { DEMO_RECEIVER_CONNECTIONS_MAX, EVENT_MAX_BYTES, REQUEST_HEADER_TIMEOUT_S } from '../contract/limits.ts';
import { isLoopbackHost } from '../platform/loopback.ts';
import { readDeliveryBody } from '../webhook-verifier/delivery-body.ts';
import { WebhookVerificationError, verifyWebhook } from '../webhook-verifier/index.ts';
import { type DemoReceiver, RECEIVER_HOST, findReceiver } from './webhook-addresses.ts';
import { BUSY_BODY, getAnswer } from './webhook-answers.ts';

export interface ReceiverOptions {
  /** The current signing secrets of the endpoints with this receiver. */
  readonly listSecrets: (receiver: DemoReceiver) => Promise<readonly string[]>;
  readonly now: (receiver: string) => Date;
}

export interface WebhookReceiver {
  readonly port: number;
  close(): void;
}

interface Reply {
  readonly status: number;
  readonly body: object;
  readonly milliseconds?: number;
}

/** Listens on `preferredPort` if it is free, otherwise on any port. */
export async function startWebhookReceiver(options: ReceiverOptions, preferredPort: number): Promise<WebhookReceiver> {
  const server = await listen(options, preferredPort).catch((error: unknown) => {
    if (preferredPort === 0) throw error;
    return listen(options, 0);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function listen(options: ReceiverOptions, port: number): Promise<Server> {
  const timeoutMs = REQUEST_HEADER_TIMEOUT_S * 1_000;
  const server = createServer({ headersTimeout: timeoutMs, requestTimeout: timeoutMs }, (request, response) => {
    void createReply(request, options).then(
      (reply) => send(response, reply),
      // The sender closed the connection before the end of the body.
      () => response.destroy(),
    );
  });
  server.maxConnections = DEMO_RECEIVER_CONNECTIONS_MAX;
  const listening = Promise.withResolvers<Server>();
  server.once('error', listening.reject);
  server.listen(port, RECEIVER_HOST, () => listening.resolve(server));
  return listening.promise;
}

async function createReply(request: IncomingMessage, { listSecrets, now }: ReceiverOptions): Promise<Reply> {
  const { method, url = '', headers } = request;
  if (headers.origin !== undefined || !isLoopbackHost((headers.host ?? '').replace(/:\d+$/u, '')))
    return reject(403, 'only programs on this machine may send deliveries');
  const receiver = findReceiver(url);
  if (receiver === undefined) return reject(404, 'no receiver has this path');
  if (method !== 'POST') return reject(405, 'deliveries use POST');
  const body = await readDeliveryBody(request);
  if (body === undefined) return reject(413, `a delivery has at most ${String(EVENT_MAX_BYTES)} bytes`);
  if (headers[DELIVERY_HEADERS.event.toLowerCase()] === TEST_EVENT) return { status: 200, body: { ok: true } };
  try {
    const { eventId, attempt } = verifyAny(body, headers, await listSecrets(receiver), now(receiver));
    const { status, milliseconds } = getAnswer(receiver, eventId ?? '', attempt ?? 1);
    return { status, milliseconds, body: status === 200 ? { received: eventId } : BUSY_BODY };
  } catch (error) {
    if (error instanceof WebhookVerificationError) return reject(401, error.message);
    throw error;
  }
}

const reject = (status: number, error: string): Reply => ({ status, body: { error } });

/** Verifies with the first secret that matches; throws the error of the last one. */
function verifyAny(body: Buffer, headers: IncomingMessage['headers'], secrets: readonly string[], now: Date) {
  const [secret, ...others] = secrets;
  try {
    return verifyWebhook(body, headers, secret, { now });
  } catch (error) {
    if (others.length === 0) throw error;
    return verifyAny(body, headers, others, now);
  }
}

function send(response: ServerResponse, { status, body, milliseconds = 0 }: Reply): void {
  const timer = setTimeout(() => {
    // After a rejection the rest of the request is not read.
    const headers = { 'content-type': 'application/json', ...(status < 400 || status === 503 ? {} : { connection: 'close' }) };
    response.writeHead(status, headers).end(JSON.stringify(body));
  }, milliseconds);
  response.once('close', () => clearTimeout(timer));
}
