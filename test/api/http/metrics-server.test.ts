/** The listener for metrics: only `GET /metrics`, and on a loopback address only for programs on this machine. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { request } from 'undici';
import { createMetricsCollector } from '../../../src/http/metrics/collect.ts';
import { type MetricsServer, startMetricsServer } from '../../../src/http/metrics/metrics-server.ts';
import type { Service } from '../../../src/http/service.ts';
import { parseMetrics } from '../../support/service/metrics.ts';
import { type TestService, startService } from '../../support/service/service.ts';

let s: TestService;
let server: MetricsServer;
beforeAll(async () => {
  s = await startService();
  server = await startMetricsServer(s.service, { host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await server.close();
  await s[Symbol.asyncDispose]();
});

const send = async (path: string, options: { method?: 'GET' | 'HEAD' | 'POST'; host?: string } = {}) => {
  const { method = 'GET', host = `127.0.0.1:${String(server.port)}` } = options;
  const reply = await request(`http://127.0.0.1:${String(server.port)}${path}`, { method, headers: { host } });
  return { status: reply.statusCode, headers: reply.headers, text: await reply.body.text() };
};

test('GET and HEAD return the metrics', async () => {
  const { status, headers, text } = await send('/metrics?from=prometheus');
  expect([status, headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
  expect(parseMetrics(text).values.get('stockroom_store_unavailable')).toBe(0);
  const head = await send('/metrics', { method: 'HEAD' });
  expect([head.status, head.text, Number(head.headers['content-length']) > 0]).toEqual([200, '', true]);
});

test.each([
  ['another path', '/', {}, 404],
  ['a path of the API', '/v1', {}, 404],
  ['another method', '/metrics', { method: 'POST' }, 405],
  ['the name of a website', '/metrics', { host: 'evil.example' }, 403],
] as const)('%s is rejected', async (_name, path, options, status) => {
  expect(await send(path, options)).toMatchObject({ status, text: '' });
});

test.each([
  ['cannot be read', () => Promise.reject(new Error('lost'))],
  ['does not respond', () => new Promise<never>(() => undefined)],
])('a store that %s does not hide the other metrics', async (_name, readFirstRows) => {
  const collect = createMetricsCollector({
    ...s.service,
    store: Object.assign(Object.create(s.service.store) as Service['store'], { readFirstRows }),
  });
  const { types, values } = parseMetrics(await collect());
  expect([types.has('stockroom_webhook_deliveries_open'), values.has('stockroom_webhook_deliveries_open')]).toEqual([true, false]);
  expect(values.get('process_resident_memory_bytes')).toBeGreaterThan(0);
});

test('a port that is in use is reported by listen', async () => {
  await expect(startMetricsServer(s.service, { host: '127.0.0.1', port: server.port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
});
