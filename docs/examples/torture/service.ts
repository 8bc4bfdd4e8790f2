// What the programs of this folder share: requests that survive failures, and a receiver of webhooks.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

const { STOCKROOM_URL, STOCKROOM_API_KEY = '', STOCKROOM_API_KEY_FILE = '', STOCKROOM_CONTROL_URL, STOCKROOM_CONTROL_TOKEN } = process.env;
const TRIES = 40;
const PAUSE_MS = 20;
const PAUSE_MAX_MS = 500;

export interface List<T> {
  data: T[];
  pagination: { total: number; nextCursor: string | null; hasMore: boolean };
}
export interface Event {
  event: string;
  resourceId: string;
  data: { id: string; eventId: string; sequence: number; name: string; sku: string | null; changes: string[] };
}

/** `renewsKey`: reads the next key when the key has expired. `keepsKey`: all tries of a request have the same Idempotency-Key. */
export function createSend({ renewsKey = true, keepsKey = true } = {}) {
  let key = STOCKROOM_API_KEY;
  return async function send<T>(method: string, path: string, body?: object): Promise<T> {
    let idempotencyKey = randomUUID();
    for (let tries = 1; ; tries += 1) {
      const headers = { 'X-API-Key': key, 'Idempotency-Key': idempotencyKey, 'Content-Type': 'application/json' };
      const request = { method, headers, ...(body && { body: JSON.stringify(body) }) };
      // No response: nobody knows whether the request was executed.
      const response = await fetch(`${STOCKROOM_URL}${path}`, request).catch(() => undefined);
      if (response?.ok) return (response.status === 204 ? undefined : await response.json()) as T;
      const isExpired = response?.status === 401 && renewsKey;
      if (isExpired) key = readFileSync(STOCKROOM_API_KEY_FILE, 'utf8');
      const canRetry = !response || isExpired || response.status === 429 || response.status >= 500;
      if (!canRetry || tries === TRIES) throw new Error(`${method} ${path}: ${response ? await response.text() : 'no response'}`);
      await sleep(Number(response?.headers.get('Retry-After') ?? 0) * 1_000 || Math.min(tries * PAUSE_MS, PAUSE_MAX_MS));
      if (!keepsKey) idempotencyKey = randomUUID();
    }
  };
}

/** Points the endpoint of the fixtures to this program. */
export async function receive(send: ReturnType<typeof createSend>, onEvent: (event: Event) => void): Promise<{ close: () => void }> {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    onEvent((await json(request)) as Event);
    response.writeHead(204).end();
  };
  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { data } = await send<List<{ id: string }>>('GET', '/v1/webhooks');
  await send('PATCH', `/v1/webhooks/${data[0]!.id}`, { targetUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks` });
  return {
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Until every delivery has arrived, after retries if need be. */
export async function waitForDeliveries(): Promise<void> {
  const headers = { Authorization: `Bearer ${STOCKROOM_CONTROL_TOKEN}` };
  const response = await fetch(`${STOCKROOM_CONTROL_URL}/control/wait?for=delivered&timeout=20s`, { headers });
  if (!response.ok) throw new Error(await response.text());
}

export function expectEqual(what: string, got: number, wanted: number): void {
  if (got === wanted) return;
  console.log(`${what}: ${got}, not ${wanted}`);
  process.exitCode = 1;
}
