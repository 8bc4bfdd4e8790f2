import { once } from 'node:events';
import { type RequestListener, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../client/client.ts';
import { Unreachable } from '../../client/errors.ts';
import { createHttpTransport } from '../../client/transport/transport.ts';
import { follow } from './read-events.ts';

const EMPTY_PAGE = JSON.stringify({ data: [], pagination: { nextCursor: 'MA', hasMore: false } });

/** Follows a server that responds with `answer`, and records the notes. */
async function followServer(answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const notes: string[] = [];
  const pages = follow(createClient({ transport: createHttpTransport({ url }), key: 'k' }), {}, (text) => notes.push(text));
  return { pages, notes, url };
}

test('a follower of events continues when a proxy in front of the service has failed', async () => {
  const statuses = [502, 503, 504, 429, 401];
  const { pages, notes } = await followServer((_request, response) => response.writeHead(statuses.shift() ?? 500).end('<html>'));
  await expect(pages.next()).rejects.toMatchObject({ name: 'ApiError', status: 401 });
  expect([notes, statuses]).toEqual([['The service does not respond; retrying'], []]);
});

test('a follower of events fails if the service cannot be reached at the start', async () => {
  const { pages, notes } = await followServer((request) => request.socket.destroy());
  await expect(pages.next()).rejects.toBeInstanceOf(Unreachable);
  expect(notes).toEqual([]);
});

test('a follower of events names the address of a service that no longer responds, and continues', async () => {
  let asked = 0;
  const { pages, notes, url } = await followServer((request, response) => {
    asked += 1;
    if (asked === 1) response.writeHead(200, { 'content-type': 'application/json' }).end(EMPTY_PAGE);
    else if (asked === 2) request.socket.destroy();
    else response.writeHead(401).end();
  });
  await pages.next();
  await expect(pages.next()).rejects.toMatchObject({ status: 401 });
  expect(notes).toEqual([`The service at ${url} does not respond; retrying`]);
});
