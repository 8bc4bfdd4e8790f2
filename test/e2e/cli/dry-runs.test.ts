/** --dry-run prints the request of a write, and sends nothing. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Shop, openShop } from '../../support/cli/running-daemon.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop([{ name: 'Bolt', sku: 'BOLT' }], ['--test-clock']);
  await shop.home.run(['snapshot', 'save', 'base']);
  await shop.home.run(['webhooks', 'create', '--name', 'Down', '--target-url', 'http://127.0.0.1:9/', '--event', 'inventory.item.created']);
  await shop.home.run([
    'apps',
    'create',
    '--name',
    'Sync',
    '--type',
    'public',
    '--redirect-uri',
    'http://127.0.0.1/',
    '--scope',
    'items:read',
  ]);
  await shop.home.run(['faults', 'set', 'GET /v1/nothing', '--status', '503']);
});
afterAll(() => shop[Symbol.asyncDispose]());

/** What a command that writes would have changed. */
const readState = async () =>
  Promise.all(
    [
      ['items', 'list', '--all'],
      ['keys', 'list'],
      ['apps', 'list'],
      ['webhooks', 'list'],
      ['faults', 'list'],
      ['tiers', 'list'],
      ['snapshot', 'list'],
      ['clock', 'show', '--columns', 'offsetSeconds'],
      ['audit', 'export', '--json'],
    ].map(async (args) => (await shop.home.run(args)).stdout.replaceAll(/"lastUsedAt":"[^"]*"/gu, '')),
  );

test.for([
  ['reset'],
  ['snapshot', 'load', 'base'],
  ['snapshot', 'save', 'other'],
  ['snapshot', 'delete', 'base'],
  ['clock', 'advance', '2h'],
  ['clock', 'set', '2030-01-01T00:00:00Z'],
  ['clock', 'reset'],
  ['faults', 'clear'],
  ['tiers', 'set', 'bulk', '6000'],
  ['seed', '--items', '10'],
  ['webhooks', 'trigger', 'order.created'],
  ['webhooks', 'test', 'Down'],
  ['webhooks', 'end-overlap', 'Down'],
  ['webhooks', 'delete', 'Down'],
  ['webhooks', 'deliveries', 'resend', '--failed', '--since', '1h'],
  ['apps', 'suspend', 'Sync'],
  ['apps', 'disconnect', 'Sync'],
  ['items', 'delete', 'BOLT'],
])('%s %s', async (args) => {
  const before = await readState();
  const { exit, stdout, stderr } = await shop.home.run([...args, '--dry-run']);
  expect({ exit, stdout, stderr }).toEqual({
    exit: 0,
    stdout: expect.stringMatching(/^(?:POST|PATCH|DELETE) \/(?:admin|v1)\//u),
    stderr: 'Dry run: nothing was sent',
  });
  expect(await readState()).toEqual(before);
});

test('orders complete --dry-run shows the effect on the stock, and changes nothing', async () => {
  await shop.home.run(['stock', 'receive', 'BOLT:10@0.5']);
  const { body } = await shop.home.json([
    'orders',
    'create',
    'sell',
    '--contact',
    await addContact('Customer'),
    '--line',
    'BOLT:4',
    '--status',
    'open',
  ]);
  const { orderNumber } = body.data as { orderNumber: string };
  const { stdout, stderr } = await shop.home.run([
    'orders',
    'complete',
    orderNumber,
    '--dry-run',
    '--columns',
    'item.sku,onHandBefore,quantityDelta,onHandAfter',
  ]);
  expect([stdout, stderr]).toEqual([
    'item.sku\tonHandBefore\tquantityDelta\tonHandAfter\nBOLT\t10\t-4\t6',
    expect.stringContaining('would be completed'),
  ]);
  expect((await shop.home.json(['orders', 'get', orderNumber])).body.data).toMatchObject({ status: 'open' });
});

async function addContact(name: string): Promise<string> {
  await shop.home.run(['contacts', 'create', '--name', name, '--contact-type', 'customer']);
  return name;
}

test('a dry run of an invalid record fails as the service would, without a request', async () => {
  const { exit, body } = await shop.home.json(['orders', 'create', '--module', 'sell', '--line', 'BOLT:-2', '--dry-run']);
  expect([exit, body.error]).toMatchObject([2, { code: 'VALIDATION_FAILED', fields: [{ path: '/lines/0/quantity' }] }]);
});
