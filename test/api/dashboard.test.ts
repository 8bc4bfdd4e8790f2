/** What the dashboard reads of a remote service, over its public API. */
import { expect, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { createHttpTransport } from '../../src/client/transport/transport.ts';
import { collectState } from '../../src/dashboard/once.ts';
import { createRemoteSource } from '../../src/dashboard/sources/remote.ts';
import { initialState } from '../../src/dashboard/state/model.ts';
import { ABOUT } from '../support/dashboard-states.ts';
import { made } from '../support/resources/order-world.ts';
import { startService, type TestService } from '../support/service/service.ts';

async function read({ url, key }: Pick<TestService, 'url' | 'key'>) {
  const retry = { maxWaitMs: 0, wait: () => Promise.resolve() };
  const api = createClient({ transport: createHttpTransport({ url }), key, retry });
  return (await collectState(initialState({ ...ABOUT, local: false }, Date.now()), createRemoteSource(api))).state;
}

test.each(['extended', 'strict'] as const)(
  'a remote service with the %s contract is read as far as it goes, and stays connected',
  async (contract) => {
    await using s = await startService(contract === 'strict' ? { contract } : {});
    const item = await made(s.post('/v1/items', { name: 'Bolt', sku: 'B-1' }));
    const contactId = await made(s.post('/v1/contacts', { name: 'Ada' }));
    const dates = { orderDate: '2020-01-01', dueDate: '2020-01-02' };
    await made(s.post('/v1/orders', { module: 'sell', status: 'open', contactId, ...dates, lines: [{ itemId: item, quantity: 2 }] }));
    const { connection, isComplete, rows } = await read(s);
    expect([connection.state, isComplete, rows.audit.length > 0]).toEqual(['live', true, true]);
    const business = [rows.items.map(({ sku, isLow }) => [sku, isLow]), rows.orders.map(({ isLate }) => isLate), rows.events.length > 0];
    expect(business).toEqual([[['B-1', true]], [true], contract !== 'strict']);
  },
);

test.each(['extended', 'strict'] as const)(
  'a remote service with the %s contract stays connected when its deliveries are read again',
  async (contract) => {
    await using s = await startService(contract === 'strict' ? { contract } : {});
    await made(s.post('/v1/webhooks', { name: 'Shop', targetUrl: 'http://127.0.0.1:9/hook', subscribedEvents: ['order.created'] }));
    const api = createClient({
      transport: createHttpTransport({ url: s.url }),
      key: s.key,
      retry: { maxWaitMs: 0, wait: () => Promise.resolve() },
    });
    const controller = new AbortController();
    const seen: string[] = [];
    await createRemoteSource(api).run(({ type }) => {
      seen.push(type);
      if (type === 'lost' || seen.filter((each) => each === 'endpoints').length === 2) controller.abort();
    }, controller.signal);
    expect(seen).not.toContain('lost');
  },
);
