import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../client/client.ts';
import { createHttpTransport } from '../../client/transport/transport.ts';
import { follow } from './read-events.ts';

test('a follower of events continues when a proxy in front of the service has failed', async () => {
  const statuses = [502, 503, 504, 429, 401];
  const server = createServer((_request, response) => response.writeHead(statuses.shift() ?? 500).end('<html>')).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const transport = createHttpTransport({ url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}` });
  const notes: string[] = [];
  const pages = follow(createClient({ transport, key: 'k' }), {}, (text) => notes.push(text));
  await expect(pages.next()).rejects.toMatchObject({ name: 'ApiError', status: 401 });
  expect([notes, statuses]).toEqual([['The service does not respond; retrying'], []]);
});
