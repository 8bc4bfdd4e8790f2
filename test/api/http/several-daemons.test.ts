/** Daemons that share one store: which limits and guarantees hold across them. */
import { request } from 'undici';
import { expect, test } from 'vitest';
import { TOOLS } from '../../../src/contract/mcp-tools.ts';
import { createRateLimiter } from '../../../src/http/requests/rate-limiter.ts';
import { createLocalRateWindows } from '../../../src/store/local-state/rate-windows.ts';
import { startSecondServer } from '../../support/service/second-server.ts';
import { startService } from '../../support/service/service.ts';

const LIMIT = 120;

test('of 200 concurrent requests over two daemons with shared rate windows, exactly as many as the limit are admitted', async () => {
  await using s = await startService();
  const key = await s.addKey({ tier: 'small' });
  const windows = createLocalRateWindows();
  // Answers after a while, as a database does.
  const count = (...args: Parameters<typeof windows.count>) =>
    new Promise<void>((resolve) => setImmediate(resolve)).then(() => windows.count(...args));
  const limiter = () => createRateLimiter({ ...windows, count }, { small: LIMIT });
  const servers = [await startSecondServer(s.service, { limiter: limiter() }), await startSecondServer(s.service, { limiter: limiter() })];
  const replies = await Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      const { statusCode, headers, body } = await request(`${servers[index % 2]!.info.uri}/v1`, { headers: { 'x-api-key': key } });
      await body.dump();
      return { statusCode, remaining: Number(headers['x-ratelimit-remaining']), retryAfter: headers['retry-after'] };
    }),
  );
  const admitted = replies.filter(({ statusCode }) => statusCode === 200);
  expect(admitted).toHaveLength(LIMIT);
  expect(admitted.map(({ remaining }) => remaining).sort((a, b) => a - b)).toEqual(Array.from({ length: LIMIT }, (_, index) => index));
  const rejected = replies.filter(({ statusCode }) => statusCode === 429);
  expect(rejected).toHaveLength(80);
  for (const { remaining, retryAfter } of rejected) {
    expect(remaining).toBe(0);
    expect(Number(retryAfter)).toBeGreaterThan(0);
  }
});

test('a tool call is rejected by rate windows that answer asynchronously', async () => {
  await using s = await startService();
  const windows = createLocalRateWindows();
  const count = (...args: Parameters<typeof windows.count>) => Promise.resolve(windows.count(...args));
  const { info } = await startSecondServer(s.service, { limiter: createRateLimiter({ ...windows, count }, { test: 1 }) });
  const call = async (): Promise<unknown> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: TOOLS[0]!.name, arguments: {} } });
    const headers = { 'x-api-key': s.key, 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    return (await request(`${info.uri}/mcp`, { method: 'POST', headers, body })).body.text();
  };
  expect(await call()).toContain('structuredContent');
  expect(await call()).toContain('RATE_LIMITED');
});

test('a write that is sent to two daemons with one Idempotency-Key happens once, and both reply the same', async () => {
  await using s = await startService();
  const second = await startSecondServer(s.service);
  const send = async (url: string) => {
    const reply = await request(`${url}/v1/items`, {
      method: 'POST',
      headers: { 'x-api-key': s.key, 'content-type': 'application/json', 'idempotency-key': 'once' },
      body: JSON.stringify({ name: 'Bolt' }),
    });
    return { status: reply.statusCode, replayed: reply.headers['idempotent-replayed'], text: await reply.body.text() };
  };
  const [one, two] = await Promise.all([send(s.url), send(second.info.uri)]);
  expect([one.status, two.status]).toEqual([201, 201]);
  expect(one.text).toBe(two.text);
  expect([one.replayed, two.replayed].filter((value) => value === 'true')).toHaveLength(1);
  expect((await s.get('/v1/items')).body.pagination.total).toBe(1);
});
