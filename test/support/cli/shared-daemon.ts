/** One daemon for all tests of a file, whose webhook deliveries are retried after seconds. */
import { afterAll, beforeAll, expect } from 'vitest';
import { refer } from '../service/shared-service.ts';
import { type Shop, openShop } from './running-daemon.ts';

export function useShop() {
  let running: Shop | undefined;
  beforeAll(async () => {
    running = await openShop([], ['--webhook-retries', '1,1,1']);
  });
  afterAll(() => running?.[Symbol.asyncDispose]());
  const shop = refer(() => running);
  /** Runs a command with `--json`, which must succeed, and returns its output. */
  const json = async (...args: string[]) => {
    const { exit, body, stderr } = await shop.home.json(args);
    expect({ exit, stderr }, args.join(' ')).toMatchObject({ exit: 0 });
    return body;
  };
  return {
    shop,
    json,
    /** Creates an endpoint. */
    create: (url: string, ...more: string[]) =>
      json('webhooks', 'create', '--name', 'Shop', '--target-url', url, '--event', 'inventory.item.created', ...more),
  };
}
