/** `GET /readyz`: when a load balancer should send requests to a daemon. `/healthz` only says that it runs. */
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { ADDRESS_REQUESTS_PER_MIN } from '../../../src/contract/limits.ts';
import { closeConnectionsAfterResponses } from '../../../src/http/listener.ts';
import { findNotReadyReason } from '../../../src/http/readiness.ts';
import type { NotReadyReason } from '../../../src/http/service.ts';
import { createApiServer } from '../../../src/http/server.ts';
import { type TestService, startService } from '../../support/service/service.ts';

const getReadiness = async (s: TestService) => {
  const { status, body } = await s.get('/readyz', { key: '' });
  return [status, body as unknown];
};
const createBody = ({ service: { version, instanceId } }: TestService, reason?: NotReadyReason) =>
  reason === undefined ? { status: 'ready', version, instanceId } : { status: 'not ready', reason, version, instanceId };

test('a service is ready once deliveries have started', async () => {
  await using s = await startService();
  expect(await getReadiness(s)).toEqual([503, createBody(s, 'starting')]);
  await s.service.startDeliveries();
  expect(await getReadiness(s)).toEqual([200, createBody(s)]);
  const head = await s.call('HEAD', '/readyz', { key: '' });
  expect([head.status, head.text]).toEqual([200, '']);
});

test('a draining service is not ready, but serves requests', async () => {
  await using s = await startService({ deliver: true });
  s.service.beginDraining();
  expect(await getReadiness(s)).toEqual([503, createBody(s, 'stopping')]);
  expect((await s.post('/v1/items', { name: 'Bolt' })).status).toBe(201);
  expect((await s.get('/healthz', { key: '' })).status).toBe(200);
});

test('a closing service says that it is not ready, while other requests are refused', async () => {
  await using s = await startService({ deliver: true });
  s.service.beginClosing();
  expect(await getReadiness(s)).toEqual([503, createBody(s, 'stopping')]);
  expect((await s.get('/v1')).status).toBe(503);
});

test('the first condition that is not met is the reason', () => {
  const [met, skew, stopping] = [() => undefined, () => 'clock skew' as const, () => 'stopping' as const];
  expect(findNotReadyReason([])).toBeUndefined();
  expect(findNotReadyReason([met, met])).toBeUndefined();
  expect(findNotReadyReason([met, skew, stopping])).toBe('clock skew');
});

test('readiness and health checks are not limited, and not among the latest requests', async () => {
  await using s = await startService({ deliver: true });
  const { addressRequests, clock, feed } = s.service;
  for (let at = 0; at < ADDRESS_REQUESTS_PER_MIN; at += 1) addressRequests.consume('127.0.0.1', clock.now());
  const paths: string[] = [];
  feed.subscribe(undefined, ({ data }) => paths.push((data as { path: string }).path), ['request']);
  for (const path of ['/readyz', '/healthz']) expect([path, (await s.get(path, { key: '' })).status]).toEqual([path, 200]);
  expect((await s.get('/docs', { key: '' })).status).toBe(429);
  await expect.poll(() => paths).toEqual(['/docs']);
});

test('while a service drains, responses close their connection', async () => {
  await using s = await startService({ deliver: true });
  const server = createApiServer(s.service, { host: '127.0.0.1', port: 0 });
  await server.start();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const send = async (path: string) => {
    const sent = get(`${server.info.uri}${path}`, { agent, headers: { 'x-api-key': s.key } });
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    await once(response, 'end');
    return [response.statusCode, response.headers.connection, sent.reusedSocket];
  };
  expect(await send('/v1/items')).toEqual([200, 'keep-alive', false]);
  expect(await send('/v1/items')).toEqual([200, 'keep-alive', true]);
  closeConnectionsAfterResponses(server.listener);
  expect(await send('/v1/items')).toEqual([200, 'close', true]);
  expect(await send('/readyz')).toEqual([200, 'close', false]);
  agent.destroy();
  await server.stop();
});
