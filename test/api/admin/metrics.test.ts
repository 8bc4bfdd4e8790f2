/** The metrics on the socket for settings: every line, and what the figures count. */
import { readFileSync } from 'node:fs';
import { type IncomingMessage, get } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADDRESS_REQUESTS_PER_MIN, OAUTH_REQUESTS_PER_MIN } from '../../../src/contract/limits.ts';
import { DURATION_BUCKETS_S } from '../../../src/http/metrics/service-metrics.ts';
import { deliveriesWhen, addWebhook, allIn } from '../../support/resources/webhooks.ts';
import { startReceiver } from '../../support/servers/webhook-receiver.ts';
import { type TestAdmin, startAdmin } from '../../support/service/admin.ts';
import { type Metrics, parseMetrics } from '../../support/service/metrics.ts';

async function fetchMetrics({ socketPath }: TestAdmin): Promise<Metrics> {
  const [response] = (await once(get({ socketPath, path: '/metrics' }), 'response')) as [IncomingMessage];
  expect([response.statusCode, response.headers['content-type'], response.headers['cache-control']]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
    'no-store',
  ]);
  return parseMetrics(await readText(response));
}

/** A request is counted when its response has been sent, so its client may be faster. */
const watchValue = (admin: TestAdmin, series: string) => async () => (await fetchMetrics(admin)).values.get(series);
const requests = (operation: string, status: string) => `stockroom_http_requests_total{operation="${operation}",status="${status}"}`;

let a: TestAdmin;
beforeAll(async () => {
  a = await startAdmin();
});
afterAll(() => a[Symbol.asyncDispose]());

test('docs/operations.md lists exactly the metrics that exist, with their types', async () => {
  const documented = [
    ...readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8').matchAll(/^\| `(\w+)`.* \| (\w+) \|/gmu),
  ];
  expect(documented.map(([, name, type]) => [name, type])).toEqual([...(await fetchMetrics(a)).types]);
});

test('the figures of process and store are plausible', async () => {
  await a.s.post('/v1/items', { name: 'Bolt' });
  const { values } = await fetchMetrics(a);
  expect(values.get(`stockroom_build_info{version="0.0.0-test",node="${process.versions.node}"}`)).toBe(1);
  expect(Math.abs(values.get('process_start_time_seconds')! - (Date.now() / 1_000 - process.uptime()))).toBeLessThan(5);
  expect(values.get('process_cpu_seconds_total')).toBeGreaterThan(0);
  expect(values.get('process_resident_memory_bytes')).toBeGreaterThan(10_000_000);
  const stats = a.s.service.files?.getStats();
  expect(values.get('stockroom_store_rows')).toBe(stats?.rows);
  expect(values.get('stockroom_store_journal_bytes')).toBe(stats?.journalBytes);
  expect(values.get('stockroom_store_unavailable')).toBe(0);
});

test('requests are counted by operation and class of their status, without health checks', async () => {
  const before = (await fetchMetrics(a)).values;
  const countBefore = (series: string): number => before.get(series) ?? 0;
  for (const path of ['/v1/contacts', '/v1/contacts', '/v1/contacts?nonsense=1', '/v1/nothing', '/openapi.json', '/healthz', '/readyz'])
    await a.s.get(path);
  await a.s.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' });
  await expect.poll(watchValue(a, requests('contacts.list', '2xx'))).toBe(countBefore(requests('contacts.list', '2xx')) + 2);
  await expect.poll(watchValue(a, requests('contacts.list', '4xx'))).toBe(countBefore(requests('contacts.list', '4xx')) + 1);
  await expect.poll(watchValue(a, requests('mcp', '2xx'))).toBe(countBefore(requests('mcp', '2xx')) + 1);
  await expect.poll(watchValue(a, requests('other', '4xx'))).toBe(countBefore(requests('other', '4xx')) + 1);
  await expect.poll(watchValue(a, requests('other', '2xx'))).toBe(countBefore(requests('other', '2xx')) + 1);
  const operations = [...(await fetchMetrics(a)).values.keys()].flatMap((series) => /operation="([^"]+)"/u.exec(series)?.[1] ?? []);
  expect(operations.filter((name) => /health|ready/u.test(name))).toEqual([]);
});

test('a request whose client disconnects is counted as aborted', async () => {
  const { hostname, port } = new URL(a.s.url);
  const socket = connect({ host: hostname, port: Number(port) });
  const head = ['POST /v1/items HTTP/1.1', `Host: ${hostname}`, `X-API-Key: ${a.s.key}`, 'Expect: 100-continue', 'Content-Length: 100'];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  await once(socket, 'data');
  socket.destroy();
  await expect.poll(watchValue(a, requests('items.create', 'aborted'))).toBe(1);
});

test('the histogram of durations is cumulative, and its counts are those of the requests', async () => {
  for (let sent = 0; sent < 5; sent += 1) await a.s.get('/v1/orders?module=sell');
  await expect.poll(watchValue(a, requests('orders.list', '2xx'))).toBe(5);
  const { values } = await fetchMetrics(a);
  const labels = 'operation="orders.list",status="2xx"';
  const buckets = [...values].filter(([series]) => series.startsWith(`stockroom_http_request_duration_seconds_bucket{${labels},le=`));
  expect(buckets.map(([series]) => /le="([^"]+)"/u.exec(series)?.[1])).toEqual([...DURATION_BUCKETS_S.map(String), '+Inf']);
  const counts = buckets.map(([, value]) => value);
  expect(counts).toEqual(counts.toSorted((x, y) => x - y));
  expect([counts.at(-1), values.get(`stockroom_http_request_duration_seconds_count{${labels}}`)]).toEqual([5, 5]);
  expect(values.get(`stockroom_http_request_duration_seconds_sum{${labels}}`)).toBeGreaterThan(0);
});

test('requests and tool calls that exceed a limit are counted by its kind', async () => {
  await using own = await startAdmin({ tiers: { tiny: 1 } });
  const key = await own.s.addKey({ tier: 'tiny' });
  for (let sent = 0; sent < 3; sent += 1) await own.s.get('/v1', { key });
  const params = { name: 'list_items', arguments: {} };
  await own.s.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, { key });
  await expect.poll(watchValue(own, 'stockroom_http_rate_limited_total{limit="key"}')).toBe(3);
  const { addressRequests, oauthLimits, clock } = own.s.service;
  for (let at = 0; at < ADDRESS_REQUESTS_PER_MIN; at += 1) addressRequests.consume('127.0.0.1', clock.now());
  expect((await own.s.get('/v1', { key: '' })).status).toBe(429);
  await expect.poll(watchValue(own, 'stockroom_http_rate_limited_total{limit="address"}')).toBe(1);
  for (let at = 0; at < OAUTH_REQUESTS_PER_MIN; at += 1) oauthLimits.failedAttempts.consume('unknown 127.0.0.1', clock.now());
  const token = await own.s.call('POST', '/oauth/token', {
    key: '',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=client_credentials&client_id=x&client_secret=y',
  });
  expect(token.status).toBe(429);
  await expect.poll(watchValue(own, 'stockroom_http_rate_limited_total{limit="client"}')).toBe(1);
});

test('the delay of the event loop is a summary that grows', async () => {
  const count = async () => (await fetchMetrics(a)).values.get('stockroom_event_loop_delay_seconds_count')!;
  const before = await count();
  await expect.poll(count).toBeGreaterThan(before);
  const { values } = await fetchMetrics(a);
  const quantiles = ['0.5', '0.9', '0.99', '1'].map((quantile) => `stockroom_event_loop_delay_seconds{quantile="${quantile}"}`);
  for (const series of quantiles) expect(values.has(series)).toBe(true);
  expect(values.get('stockroom_event_loop_delay_seconds_sum')).toBeGreaterThanOrEqual(0);
});

test('attempts of deliveries are counted by outcome, and open deliveries are the length of the queue', async () => {
  await using own = await startAdmin({ service: { webhooks: { scheduleSeconds: [60] } } });
  await using good = await startReceiver();
  await using bad = await startReceiver(500);
  await addWebhook(own.s, good.url);
  await addWebhook(own.s, bad.url);
  await own.s.post('/v1/items', { name: 'Bolt' });
  await expect.poll(watchValue(own, 'stockroom_webhook_deliveries_open')).toBe(2);
  expect((await fetchMetrics(own)).values.get('stockroom_ready')).toBe(0);
  await own.s.service.startDeliveries();
  await deliveriesWhen(own.s, allIn('delivered', 'retrying'));
  const outcomes = async () =>
    ['delivered', 'retrying', 'failed', 'discarded'].map(async (outcome) =>
      (await fetchMetrics(own)).values.get(`stockroom_webhook_delivery_attempts_total{outcome="${outcome}"}`),
    );
  const getOutcomes = async () => Promise.all(await outcomes());
  await expect.poll(getOutcomes).toEqual([1, 1, 0, 0]);
  await expect.poll(watchValue(own, 'stockroom_webhook_deliveries_open')).toBe(1);
  expect((await fetchMetrics(own)).values.get('stockroom_ready')).toBe(1);
  own.s.clock.advance(120);
  await deliveriesWhen(own.s, allIn('delivered', 'failed'));
  await expect.poll(getOutcomes).toEqual([1, 1, 1, 0]);
  await expect.poll(watchValue(own, 'stockroom_webhook_deliveries_open')).toBe(0);
});

test('the API server has no metrics', async () => {
  expect((await a.s.get('/metrics')).status).toBe(404);
});
