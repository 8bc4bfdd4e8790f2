/** A daemon with two endpoints for created records: one works, one fails. */
import { expect } from 'vitest';
import { type Receiver, startReceiver } from '../servers/webhook-receiver.ts';
import { type Shop, openShop } from './running-daemon.ts';

export interface WatchedShop extends AsyncDisposable {
  readonly shop: Shop;
  readonly good: Receiver;
  readonly bad: Receiver;
  /** Makes items: of each one delivery succeeds, and one fails after two attempts. */
  traffic(count?: number): Promise<void>;
  /** How many deliveries have failed for good, once none is under way. */
  countFailed(): Promise<number>;
}

export async function openWatchedShop(): Promise<WatchedShop> {
  const shop = await openShop([], ['--webhook-retries', '1']);
  const [good, bad] = [await startReceiver(200), await startReceiver(500)];
  const post = async (path: string, body: object): Promise<void> => {
    const { status, text } = await shop.http('POST', path, body);
    expect(status, text).toBe(201);
  };
  const subscribedEvents = ['inventory.item.created'];
  await post('/v1/webhooks', { name: 'Shop sync', targetUrl: good.url, subscribedEvents });
  await post('/v1/webhooks', { name: 'Warehouse', targetUrl: bad.url, subscribedEvents });
  return {
    shop,
    good,
    bad,
    async traffic(count = 1) {
      for (let made = 0; made < count; made += 1) await post('/v1/items', { name: 'Bolt' });
    },
    async countFailed() {
      const listStatuses = async () => {
        const { body } = await shop.home.json(['webhooks', 'deliveries', 'list', 'Warehouse', '--all']);
        return (body.data as { status: string }[]).map(({ status }) => status);
      };
      await expect.poll(listStatuses).not.toEqual(expect.arrayContaining([expect.stringMatching(/pending|retrying/u)]));
      return (await listStatuses()).filter((status) => status === 'failed').length;
    },
    async [Symbol.asyncDispose]() {
      await good[Symbol.asyncDispose]();
      await bad[Symbol.asyncDispose]();
      await shop[Symbol.asyncDispose]();
    },
  };
}
