import { once } from 'node:events';
import { type RequestListener, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../client/client.ts';
import { UnexpectedResponse, Unreachable } from '../../client/errors.ts';
import { createHttpTransport } from '../../client/transport/transport.ts';
import { getRequestIntervalMs, pollDeliveries } from './poll-deliveries.ts';

/** Polls a server that responds with `answer` until an error ends it. */
async function polled(answer: RequestListener): Promise<{ notes: string[]; end: unknown }> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const notes: string[] = [];
  const transport = createHttpTransport({ url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}` });
  const client = createClient({ transport, key: 'k' });
  const rows = pollDeliveries({ client, query: { webhook_id: 'w' }, since: undefined, printNote: (text) => notes.push(text) });
  const end = await rows.next().catch((error: unknown) => error);
  return { notes, end };
}

const EMPTY_PAGE = JSON.stringify({ data: [], pagination: { page: 1, pageSize: 50, total: 0, totalPages: 0 } });

test('a service that no longer responds is reported once, with its address', async () => {
  let asked = 0;
  const { notes, end } = await polled((request, response) => {
    asked += 1;
    if (asked === 1) response.writeHead(200, { 'content-type': 'application/json' }).end(EMPTY_PAGE);
    else if (asked <= 8) request.socket.destroy();
    else response.writeHead(401).end();
  });
  expect(notes.slice(1)).toEqual([expect.stringMatching(/^The service at http:\/\/127\.0\.0\.1:\d+ does not respond; retrying$/u)]);
  expect(end).toMatchObject({ name: 'ApiError', status: 401 });
});

test.for([429, 500, 502, 503, 504])('a service that responds with %i is polled again', async (status) => {
  let asked = 0;
  const { notes, end } = await polled((_request, response) => {
    asked += 1;
    response.writeHead(asked === 1 ? status : 401).end('<html>');
  });
  expect(notes).toEqual(['The service does not respond; retrying']);
  expect(end).toMatchObject({ name: 'ApiError', status: 401 });
});

test('a service that cannot be reached at the start ends polling', async () => {
  const { notes, end } = await polled((request) => request.socket.destroy());
  expect(notes).toEqual([]);
  expect(end).toBeInstanceOf(Unreachable);
});

test('a response that is not from stockroom ends polling', async () => {
  const { notes, end } = await polled((_request, response) => response.end('<html>Welcome'));
  expect(notes).toEqual([]);
  expect(end).toBeInstanceOf(UnexpectedResponse);
});

test.for([1, 60, 300, 10_000])('polling uses at most half of a rate limit of %i per minute', (limit) => {
  expect(60_000 / getRequestIntervalMs(limit)).toBeLessThanOrEqual(limit / 2);
});
