/** A shop whose endpoints are tried again soon, of the test file that imports this: opened before its tests, gone after them. */
import { afterAll, beforeAll, expect } from 'vitest';
import { type Shop, openShop } from './shop.ts';

/** There as soon as hooks and tests run. */
export let shop: Shop;
beforeAll(async () => {
  shop = await openShop([], ['--webhook-retries', '1,1,1']);
});
afterAll(() => shop[Symbol.asyncDispose]());

/** What a command prints with `--json`; it must end well. */
export const json = async (...args: string[]) => {
  const { exit, body, stderr } = await shop.home.json(args);
  expect({ exit, stderr }, args.join(' ')).toMatchObject({ exit: 0 });
  return body;
};
/** Creates an endpoint. */
export const create = (url: string, ...more: string[]) =>
  json('webhooks', 'create', '--name', 'Shop', '--target-url', url, '--event', 'inventory.item.created', ...more);
