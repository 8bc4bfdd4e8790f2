/** A key in STOCKROOM_API_KEY decides the tenant of every command, also of those that administer the daemon. */
import { beforeAll, expect, test } from 'vitest';
import { useShop } from '../../support/cli/shared-daemon.ts';

const { shop, json } = useShop();
/** Without a saved profile, as in `exec`. */
let bare: Record<string, string>;
let env: Record<string, string>;
beforeAll(async () => {
  await json('tenants', 'create', '--name', 'Second', '--plan', 'enterprise');
  const { secret } = (await json('keys', 'create', '--tenant', 'second', '--all-scopes')) as { secret: string };
  bare = { XDG_CONFIG_HOME: shop.home.path('no-profiles') };
  env = { ...bare, STOCKROOM_API_KEY: secret };
});

test.for([
  ['stock', 'reorder'],
  ['users', 'list'],
  ['webhooks', 'health'],
  ['webhooks', 'deliveries', 'tail', '--no-follow'],
  ['dashboard', '--once'],
])('%s %s', async (args) => {
  expect((await shop.home.run(args, { env: bare })).exit).not.toBe(0);
  const { exit, stderr } = await shop.home.run(args, { env });
  expect({ exit, stderr }).toMatchObject({ exit: 0 });
});

test('the error without a key lists the tenants', async () => {
  expect((await shop.home.run(['users', 'list'], { env: bare })).stderr).toMatch(/local, second|second, local/u);
});

test('doctor checks all tenants, whatever the key and the profile, and one with --tenant', async () => {
  const count = async (...args: string[]) => {
    const { checks } = (await json('doctor', ...args)).data as { checks: { name: string; detail: string }[] };
    return Number.parseInt(checks.find(({ name }) => name === 'default site')?.detail ?? '', 10);
  };
  expect(await count()).toBeGreaterThan(1);
  expect(await count('--tenant', 'second')).toBe(1);
  const { stdout, stderr } = await shop.home.run(['doctor', '-o', 'table'], { env });
  expect([stdout, stderr]).toEqual([expect.not.stringContaining('default site  yes  1 checked'), 'Of all tenants']);
  expect((await shop.home.run(['doctor', '-o', 'table', '--tenant', 'local'])).stderr).toBe('Of tenant local');
});
