import { mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { type RequestListener, createServer } from 'node:http';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { DaemonState } from '../../platform/daemon-state.ts';
import { createDaemonTransport } from './daemon-transport.ts';
import { ApiError, Unreachable } from '../errors.ts';

const INSTANCE = 'the-instance';
const KEYED = { method: 'GET', path: '/v1/items', headers: { 'x-api-key': 'pk_test_secret' } };

/** Starts a server with an admin socket; records its requests and connections. */
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
  const state = { url, dataDir: '/data', adminSocket, instanceId: INSTANCE } as DaemonState;
  return { asked, count, server, send: createDaemonTransport(state) };
}

test('the daemon is verified once, on the connection that is used for the requests', async () => {
  const { asked, count, send } = await place();
  for (const _ of [1, 2, 3]) expect((await send(KEYED)).status).toBe(200);
  expect(asked).toEqual(['/healthz no key', ...Array.from({ length: 3 }, () => '/v1/items pk_test_secret')]);
  expect(count.connections).toBe(1);
});

test('a new connection is verified before a request is sent', async () => {
  const { asked, count, send, server } = await place();
  await send(KEYED);
  server.closeAllConnections();
  // The end of the connection may be noticed only when it is used: then nothing was sent, and the caller retries.
  await send(KEYED).catch(() => send(KEYED));
  expect(count.connections).toBeGreaterThan(1);
  expect(asked).toEqual(['/healthz no key', '/v1/items pk_test_secret', '/healthz no key', '/v1/items pk_test_secret']);
});

test('a server that closes each connection after the verification receives no request', async () => {
  const { asked, send, server } = await place();
  server.keepAliveTimeout = 0;
  server.maxRequestsPerSocket = 1;
  await expect(send(KEYED)).rejects.toThrow(Unreachable);
  expect(new Set(asked)).toEqual(new Set(['/healthz no key']));
});

test('another instance, a daemon without admin socket and another program receive no key', async () => {
  for (const { asked, send } of [
    await place(undefined, { id: 'another' }),
    await place(undefined, { socket: false }),
    await place(undefined, { id: '' }),
  ]) {
    await expect(send(KEYED)).rejects.toThrow('The daemon of /data is no longer running');
    expect(asked).toEqual(['/healthz no key']);
  }
});

test('a daemon that shuts down receives no request, and its error response is thrown', async () => {
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
