import { once } from 'node:events';
import { type RequestListener, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createClient } from '../client/client.ts';
import { Foreign } from '../client/errors.ts';
import { builtInTransport } from '../client/transport.ts';
import { paceMs, pollDeliveries } from './poll.ts';

/** Asks a program that answers so until that ends it. */
async function polled(answer: RequestListener): Promise<{ notes: string[]; end: unknown }> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const notes: string[] = [];
  const transport = builtInTransport({ url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}` });
  const client = createClient({ transport, key: 'k', retry: { maxWaitMs: 0, wait: () => Promise.resolve() } });
  const rows = pollDeliveries({ client, query: { webhook_id: 'w' }, since: undefined, note: (text) => notes.push(text) });
  const end = await rows.next().catch((error: unknown) => error);
  return { notes, end };
}

test('a service that does not answer is told once, however long that lasts', async () => {
  let asked = 0;
  const { notes, end } = await polled((request, response) => {
    asked += 1;
    if (asked <= 7) request.socket.destroy();
    else response.writeHead(401).end();
  });
  expect(notes).toEqual(['the service does not answer; trying again']);
  expect(end).toMatchObject({ name: 'ApiError', status: 401 });
});

test('something else than a service ends it', async () => {
  const { notes, end } = await polled((_request, response) => response.end('<html>Welcome'));
  expect(notes).toEqual([]);
  expect(end).toBeInstanceOf(Foreign);
});

test.for([1, 60, 300, 10_000])('a key that may send %i a minute keeps at least half of them', (limit) => {
  expect(60_000 / paceMs(limit)).toBeLessThanOrEqual(limit / 2);
});
