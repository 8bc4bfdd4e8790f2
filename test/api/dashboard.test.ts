/** What the dashboard reads of a remote service, over its public API. */
import { expect, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { createHttpTransport } from '../../src/client/transport/transport.ts';
import { collectState } from '../../src/dashboard/once.ts';
import { findByName } from '../../src/dashboard/sources/records.ts';
import { readWithRelated } from '../../src/dashboard/sources/related-records.ts';
import { createRemoteSource } from '../../src/dashboard/sources/remote.ts';
import type { RecordKind } from '../../src/dashboard/state/jump.ts';
import { createInitialState } from '../../src/dashboard/state/model.ts';
import { ABOUT } from '../support/dashboard-states.ts';
import { made } from '../support/resources/order-world.ts';
import { startService, type TestService } from '../support/service/service.ts';

const connect = ({ url, key }: Pick<TestService, 'url' | 'key'>) => createClient({ transport: createHttpTransport({ url }), key });

const read = async (s: TestService) =>
  (await collectState(createInitialState({ ...ABOUT, isLocal: false }, Date.now()), createRemoteSource(connect(s)))).state;

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
    const api = connect(s);
    const [order] = rows.orders;
    const find = (kind: RecordKind, name: string) => findByName(api, { kind, name });
    expect(await find('orders', order!.orderNumber)).toMatchObject({
      path: `/v1/orders/${order!.id}`,
      order: { id: order!.id, status: 'open', contact: 'Ada' },
    });
    expect([await find('orders', 'SO-999999'), await find('contacts', contactId.replaceAll(/\d/gu, '0'))]).toEqual(['none', 'none']);
    await made(s.post('/v1/contacts', { name: 'Ada' }));
    expect(await find('contacts', 'ada')).toBe('several');
  },
);

test('what the key may not read is unavailable, and never looks like nothing', async () => {
  await using s = await startService();
  const key = await s.addKey({ scopes: ['items:read', 'orders:read'] });
  const { connection, unavailable } = await read({ ...s, key });
  expect([connection.state, unavailable]).toEqual([
    'live',
    {
      limits: 'the key lacks the scope usage:read',
      endpoints: 'the key lacks the scope webhooks:read',
      deliveries: 'the key lacks the scope webhooks:read',
      audit: 'the key lacks the scope audit:read',
      items: 'the key lacks the scope inventory:read',
    },
  ]);
});

test('a remote service names the stock levels in its events', async () => {
  await using s = await startService();
  const itemId = await made(s.post('/v1/items', { name: 'Bolt', sku: 'B-1' }));
  const contactId = await made(s.post('/v1/contacts', { name: 'Ada' }));
  await made(s.post('/v1/orders', { module: 'sell', status: 'open', contactId, lines: [{ itemId, quantity: 2 }] }));
  const { rows, levelNames } = await read(s);
  const ids = rows.events.filter(({ event }) => event === 'stock_level.updated').map(({ resourceId }) => resourceId);
  expect(ids.map((id) => levelNames[id])).toEqual(['B-1 at Main']);
});

test.each(['extended', 'strict'] as const)(
  'a remote service with the %s contract stays connected when its deliveries are read again',
  async (contract) => {
    await using s = await startService(contract === 'strict' ? { contract } : {});
    await made(s.post('/v1/webhooks', { name: 'Shop', targetUrl: 'http://127.0.0.1:9/hook', subscribedEvents: ['order.created'] }));
    const api = connect(s);
    const controller = new AbortController();
    const seen: string[] = [];
    await createRemoteSource(api).run(({ type }) => {
      seen.push(type);
      if (type === 'lost' || seen.filter((each) => each === 'endpoints').length === 2) controller.abort();
    }, controller.signal);
    expect(seen).not.toContain('lost');
  },
);

test('the details of an order have the stock levels of all its items', async () => {
  await using s = await startService();
  const ids: string[] = [];
  for (let at = 0; at < 120; at += 1) ids.push(await made(s.post('/v1/items', { name: `Bolt ${String(at)}` })));
  const contactId = await made(s.post('/v1/contacts', { name: 'Ada' }));
  const lines = ids.map((itemId) => ({ itemId, quantity: 2 }));
  const order = await made(s.post('/v1/orders', { module: 'sell', status: 'open', contactId, lines }));
  const { stockLevels } = await readWithRelated(connect(s), `/v1/orders/${order}`);
  expect(stockLevels).toHaveLength(ids.length);
  expect((stockLevels as { committed: number }[]).every(({ committed }) => committed === 2)).toBe(true);
});
