/** Injected faults through the built CLI: their effect on clients, and where they are reported. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startReceiver } from '../../support/servers/webhook-receiver.ts';
import { type Shop, openShop } from '../../support/cli/running-daemon.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop([], ['--webhook-retries', '1,1,1']);
});
afterAll(() => shop[Symbol.asyncDispose]());
beforeEach(async () => void (await shop.home.run(['faults', 'clear'])));

const ANSWER = ['--status', '503', '--retry-after', '1'];

test('a command retries a fault after Retry-After and takes effect once', async () => {
  const { home } = shop;
  const set = await home.json(['faults', 'set', 'POST /v1/items', ...ANSWER, '--latency', '10ms', '--times', '1']);
  expect(set.body.data).toMatchObject({ target: 'POST /v1/items', status: 503, retryAfter: 1, latencyMs: 10, rate: 1, remaining: 1 });
  const { exit, stderr } = await home.run(['items', 'create', '--name', 'Bolt', '--verbose']);
  expect(exit).toBe(0);
  expect(stderr).toMatch(/503[\s\S]*201/u);
  expect((await home.json(['items', 'list', '--search', 'Bolt'])).body.pagination.total).toBe(1);
  expect((await home.json(['faults', 'list'])).body.data).toEqual([]);
});

test('without waiting a command fails with the exit code of the status, and a retry returns the lost response', async () => {
  const { home } = shop;
  await home.run(['faults', 'set', 'GET /v1/items', '--status', '429', '--retry-after', '3']);
  expect((await home.json(['items', 'list', '--max-wait', '0'])).exit).toBe(6);
  await home.run(['faults', 'set', 'POST /v1/contacts', '--drop', 'after', '--times', '1']);
  const create = ['contacts', 'create', '--name', 'Once', '--idempotency-key', 'same', '--max-wait', '0'];
  expect((await home.json(create)).body.error).toMatchObject({ code: 'UNREACHABLE', exit: 7 });
  expect((await home.json(create)).exit).toBe(0);
  expect((await home.json(['contacts', 'list', '--search', 'Once'])).body.pagination.total).toBe(1);
});

describe('active faults', () => {
  test('are listed by the status in JSON and in a terminal while any exist', async () => {
    const { home, daemon } = shop;
    await home.run(['faults', 'set', '* /v1/*', '--latency', '5ms', '--rate', '0.5']);
    const status = await home.json(['daemon', 'status']);
    expect(status.body.data).toMatchObject({ ...daemon, faults: [{ target: '* /v1/*', latencyMs: 5, rate: 0.5 }] });
    expect(status.stderr).toContain('1 injected fault; list with `stockroom faults list`');
    const screen = (await home.terminal(['daemon', 'status'])).stdout;
    expect(screen).toContain('! 1 fault injected; remove with `stockroom faults clear`');
    expect(screen).toContain('* /v1/*: 5 ms later, 50 % of the time');
    const cleared = await home.json(['faults', 'clear']);
    expect(cleared.body.data).toMatchObject([{ target: '* /v1/*' }]);
    expect((await home.json(['daemon', 'status'])).body.data).toMatchObject(daemon);
    expect((await home.terminal(['daemon', 'status'])).stdout).not.toContain('injected');
  });

  test('are logged', async () => {
    await shop.home.run(['faults', 'set', 'GET /v1/usage', '--status', '500']);
    expect((await shop.home.run(['daemon', 'logs', '-n', '5'])).stdout).toContain('"faults":["GET /v1/usage"]');
  });
});

test('a fault of a webhook target is retried until the delivery succeeds', async () => {
  const { home } = shop;
  await using receiver = await startReceiver();
  await home.run(['webhooks', 'create', '--name', 'Shop', '--target-url', receiver.url, '--event', 'contact.created', '--json']);
  await home.run(['faults', 'set', new URL('/', receiver.url).href, '--status', '500', '--times', '2']);
  await home.run(['contacts', 'create', '--name', 'Told']);
  await receiver.count(1);
  expect(receiver.received[0]?.headers['x-service-attempt']).toBe('3');
});

test.each([
  [['faults', 'set', 'POST /v1/itms', ...ANSWER], 2, 'no operation matches POST /v1/itms'],
  [['faults', 'set', 'somewhere', ...ANSWER], 2, "such as 'POST /v1/items'"],
  [['faults', 'set', 'POST /v1/items'], 2, 'Pass --status or --latency or --drop'],
  [['faults', 'set', 'POST /v1/items', '--status', '200'], 2, 'a status below 400 requires a body'],
  [['faults', 'set', 'POST /v1/items', '--status', '199'], 2, '--status'],
  [['faults', 'set', 'POST /v1/items', '--status', '503', '--rate', '2'], 2, '--rate'],
  [['faults', 'set', 'POST /v1/items', '--drop', 'never'], 2, 'Invalid --drop "never". Valid values: before, after'],
  [['faults', 'clear', 'POST /v1/items'], 3, "No fault for 'POST /v1/items'. No faults are set."],
] as const)('%j is rejected with a one-line error', async (args, code, words) => {
  const { exit, stdout, stderr } = await shop.home.run(args);
  expect({ exit, stdout }).toEqual({ exit: code, stdout: '' });
  expect(stderr).toContain(words);
  expect((await shop.home.json(['faults', 'list'])).body.data).toEqual([]);
});
