import { mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { type RequestListener, createServer } from 'node:http';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { DaemonState } from '../contract/places.ts';
import { daemonTransport } from './daemon.ts';
import { ApiError, Unreachable } from './errors.ts';

const INSTANCE = 'the-instance';
const KEYED = { method: 'GET', path: '/v1/items', headers: { 'x-api-key': 'pk_test_secret' } };

/** Something that answers at an address, with an admin socket beside it; what it was asked, and by how many connections. */
async function place(answer: RequestListener = (_request, response) => response.end('{}'), { socket = true, id = INSTANCE } = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'sr-daemon-'));
  const adminSocket = join(directory, 'admin.sock');
  const asked: string[] = [];
  const count = { connections: 0 };
  const server = createServer((request, response) => {
    asked.push(`${request.url ?? ''} ${String(request.headers['x-api-key'] ?? 'no key')}`);
    if (request.url === '/healthz' && id !== '') response.write(JSON.stringify({ status: 'ok', instanceId: id }));
    if (request.url === '/healthz' && id !== '') response.end();
    else answer(request, response);
  });
  server.on('connection', () => (count.connections += 1));
  server.listen(0, '127.0.0.1');
  const admin = createSocketServer((connection) => connection.end());
  if (socket) admin.listen(adminSocket);
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
    admin.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const state = { url, adminSocket, instanceId: INSTANCE } as DaemonState;
  return { asked, count, server, send: daemonTransport(state, '/data') };
}

test('the daemon is asked who it is once, on the connection that everything else goes over', async () => {
  const { asked, count, send } = await place();
  for (const _ of [1, 2, 3]) expect((await send(KEYED)).status).toBe(200);
  expect(asked).toEqual(['/healthz no key', ...Array.from({ length: 3 }, () => '/v1/items pk_test_secret')]);
  expect(count.connections).toBe(1);
});

test('a new connection is asked anew before it is told anything', async () => {
  const { asked, count, send, server } = await place();
  await send(KEYED);
  server.closeAllConnections();
  // The end of the connection may be seen only when it is used: then it has carried nothing, and the caller tries again.
  await send(KEYED).catch(() => send(KEYED));
  expect(count.connections).toBeGreaterThan(1);
  expect(asked).toEqual(['/healthz no key', '/v1/items pk_test_secret', '/healthz no key', '/v1/items pk_test_secret']);
});

test('one that closes every connection after it said its name is told nothing', async () => {
  const { asked, send, server } = await place();
  server.keepAliveTimeout = 0;
  server.maxRequestsPerSocket = 1;
  await expect(send(KEYED)).rejects.toThrow(Unreachable);
  expect(new Set(asked)).toEqual(new Set(['/healthz no key']));
});

test('neither another instance, nor one without admin socket, nor something else is told a key', async () => {
  for (const { asked, send } of [
    await place(undefined, { id: 'another' }),
    await place(undefined, { socket: false }),
    await place(undefined, { id: '' }),
  ]) {
    await expect(send(KEYED)).rejects.toThrow('the daemon of /data is not running any more');
    expect(asked).toEqual(['/healthz no key']);
  }
});

test('one that is stopping is told nothing, and what it says decides about another try', async () => {
  const { asked, send } = await place(
    (_request, response) =>
      response.writeHead(503, { 'retry-after': '5' }).end('{"error":{"code":"UNAVAILABLE","message":"Shutting down."}}'),
    { id: '' },
  );
  const refusal = await send(KEYED).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(ApiError);
  expect(refusal).toMatchObject({ status: 503, code: 'UNAVAILABLE', retryAfterSeconds: 5 });
  expect(asked).toEqual(['/healthz no key']);
});
