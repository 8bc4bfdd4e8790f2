/** Secrets that only one response contains are columns like others, so that scripts can print them alone. */
import { expect, test } from 'vitest';
import { useShop } from '../../support/cli/shared-daemon.ts';

const { shop } = useShop();
const ENDPOINT = ['--name', 'Sync', '--target-url', 'http://127.0.0.1:9/', '--event', 'order.created'];
const APP = ['--name', 'Sync', '--type', 'confidential', '--redirect-uri', 'https://shop.example/callback', '--scope', 'items:read'];

test('a created or rotated secret is printed alone with --columns', async () => {
  await shop.home.run(['organization', 'update', '--plan', 'enterprise']);
  for (const [args, column, pattern] of [
    [['webhooks', 'create', ...ENDPOINT], 'signingSecret', /^\S{20,}$/u],
    [['webhooks', 'rotate-secret', 'Sync'], 'signingSecret', /^\S{20,}$/u],
    [['webhooks', 'update', 'Sync', '--rotate-secret'], 'signingSecret', /^\S{20,}$/u],
    [['apps', 'create', ...APP], 'clientSecret', /^\S{20,}$/u],
    [['apps', 'rotate-secret', 'Sync'], 'clientSecret', /^\S{20,}$/u],
  ] as const) {
    const { exit, stdout, stderr } = await shop.home.run([...args, '--columns', column]);
    expect({ exit, stderr }, args.join(' ')).toMatchObject({ exit: 0 });
    const [head, secret = '', ...rest] = stdout.split('\n');
    expect([head, rest], args.join(' ')).toEqual([column, []]);
    expect(secret).toMatch(pattern);
  }
});

test('an update without a new secret has an empty column', async () => {
  const { exit, stdout } = await shop.home.run(['webhooks', 'update', 'Sync', '--set', 'description=x', '--columns', 'name,signingSecret']);
  expect([exit, stdout]).toEqual([0, 'name\tsigningSecret\nSync\t']);
});
