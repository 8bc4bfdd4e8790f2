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
