/** `--idempotency-key` makes a command of the admin API safe to repeat, and does not exist where it could not (D-22). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Shop, openShop } from '../../support/cli/running-daemon.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => shop[Symbol.asyncDispose]());

const list = async (topic: string): Promise<number> => (await shop.home.json([topic, 'list'])).body.pagination.total;

test.each([
  ['keys', ['--name', 'Storefront', '--scope', 'items:read'], 'secret', 'keys rotate'],
  [
    'apps',
    ['--name', 'Sync', '--type', 'confidential', '--redirect-uri', 'https://shop.example/cb', '--scope', 'items:read'],
    'clientSecret',
    'apps rotate-secret',
  ],
  ['tenants', ['--name', 'Once only'], undefined, undefined],
])('%s create with the same key creates one, and shows its secret once', async (topic, flags, secret, hint) => {
  const command = [topic, 'create', ...flags, '--idempotency-key', `again-${topic}`];
  const first = await shop.home.json(command);
  const total = await list(topic);
  const second = await shop.home.json(command);
  expect([first.exit, second.exit, second.body.data.id]).toEqual([0, 0, first.body.data.id]);
  expect(await list(topic)).toBe(total);
  if (secret === undefined) return;
  expect([typeof first.body[secret], secret in second.body]).toEqual(['string', false]);
  const table = await shop.home.run(command);
  expect(table.stderr).toContain(`Get another one with \`stockroom ${hint} `);
  expect(table.stdout + table.stderr).not.toContain(first.body[secret]);
  const other = await shop.home.json(command.with(3, 'Another'));
  expect([other.exit, other.body.error.code]).toEqual([5, 'CONFLICT']);
});

test('after a lost connection only a key that the user knows is recommended', async () => {
  const create = async (...more: string[]) => {
    await shop.home.run(['faults', 'set', 'POST /v1/items', '--drop', 'after', '--times', '20']);
    const { exit, body } = await shop.home.json(['items', 'create', '--name', 'Lost', ...more]);
    await shop.home.run(['faults', 'clear']);
    expect(exit).toBe(7);
    return body.error.hint as string;
  };
  expect(await create()).toContain('The request may have been executed: check before you repeat it');
  expect(await create('--idempotency-key', 'lost-1')).toContain('the same --idempotency-key are executed only once');
});

test('faults set has no such flag, because repeating it does no harm', async () => {
  const refused = await shop.home.json(['faults', 'set', 'GET /v1/*', '--latency', '1ms', '--idempotency-key', 'again']);
  expect([refused.exit, refused.body.error.message]).toEqual([2, expect.stringContaining('--idempotency-key')]);
});
