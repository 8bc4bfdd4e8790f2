/** How often requests wait for the store: a round for the rows of a page, and then at most one for everything they reference. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Row, Table } from '../../../src/domain/kernel/ports.ts';
import { createCategory } from '../../../src/domain/catalog/categories.ts';
import { made, orderWorld, type OrderWorld } from '../../support/resources/order-world.ts';
import { stockUp, submitDocument } from '../../support/resources/stock.ts';
import { addWebhook } from '../../support/resources/webhooks.ts';
import { contextFor, type Reply } from '../../support/service/service.ts';
import { useService } from '../../support/service/shared-service.ts';
import { countRounds, type Work } from '../../support/store-rounds.ts';

const ITEMS = 50;

const s = useService();
let w: OrderWorld;
let works: Work[];
/** With different categories, and the same supplier and unit. */
const items: string[] = [];
/** With different ingredients. */
const combos: string[] = [];

beforeAll(async () => {
  w = await orderWorld(s);
  for (let at = 0; at < ITEMS; at += 1) {
    const category = { name: `Category ${String(at)}`, parentId: null, isActive: true };
    const { id } = await s.service.store.transact(s.tenant.id, (tx) => createCategory(tx, contextFor(s), category));
    const item = { name: `Item ${String(at)}`, sku: `I-${String(at)}`, categoryId: id, supplierId: w.supplier, unitId: w.pcs };
    items.push(await made(s.post('/v1/items', item)));
  }
  for (let at = 0; at < 10; at += 1) {
    const combo = await made(s.post('/v1/items', { name: `Combo ${String(at)}`, itemType: 'combo' }));
    for (const ingredientItemId of items.slice(at, at + 3))
      await made(s.post(`/v1/items/${combo}/ingredients`, { ingredientItemId, quantity: 1 }));
    combos.push(combo);
  }
  for (let at = 0; at < 5; at += 1) {
    const contact = await made(s.post('/v1/contacts', { name: `Contact ${String(at)}`, contactType: 'both' }));
    await made(s.post(`/v1/items/${items[0]!}/suppliers`, { supplierId: contact }));
    const lines = [{ itemId: items[at], quantity: 1 }];
    const order = await made(s.post('/v1/orders', { module: 'sell', contactId: contact, siteId: w.site, status: 'open', lines }));
    await submitDocument(s, { type: 'issue', orderId: order, siteId: w.site, lines });
  }
  await stockUp(
    s,
    items.map((itemId) => ({ itemId, quantity: 1_000, unitCost: 1 })),
  );
  works = countRounds(s.service.store);
}, 60_000);

/** Writes a row of each table that others reference, so that lists render what they have cached again. */
const touchReferences = () =>
  s.service.store.transact(s.tenant.id, async (tx) => {
    const touch = async <R extends Row>(table: Table<R>) => table.put((await table.listAfter({ limit: 1 })).rows[0]!);
    await touch(tx.categories);
    await touch(tx.contacts);
    await touch(tx.sites);
    await touch(tx.units);
    await touch(tx.orders);
  });

/** The rounds of the read or transaction of a request. */
async function getRounds(call: () => Promise<Reply>): Promise<string[][]> {
  const from = works.length;
  const { status, text } = await call();
  if (status >= 300) throw new Error(text);
  // Usage counters may be saved meanwhile.
  const isOfRequest = ({ kind, rounds }: Work) => kind !== 'readLatest' && !rounds.flat().some((read) => read.startsWith('usage.'));
  const [work, ...others] = works.slice(from).filter(isOfRequest);
  expect(others).toEqual([]);
  return work!.rounds;
}

describe('lists', () => {
  const LISTS: readonly (readonly [name: string, getPath: () => string, rounds: number])[] = [
    ['items', () => '/v1/items?page_size=50', 2],
    ['items by SKU', () => '/v1/items?sku=i-3', 3],
    ['orders', () => '/v1/orders?module=sell', 2],
    ['orders found by the name of their contact', () => '/v1/orders?module=sell&search=contact', 2],
    ['lines of an order', () => `/v1/orders/{order}/lines`, 4],
    ['stock documents', () => '/v1/stock-documents', 2],
    ['stock levels', () => '/v1/stock-levels?page_size=50', 2],
    ['stock levels of items without any', () => `/v1/stock-levels?item_id=${[...items, w.coffee, w.bolt].join(',')}&page_size=200`, 7],
    ['stock levels of combos', () => `/v1/stock-levels?item_id=${combos.join(',')}&include_zero=true`, 9],
    ['ingredients', () => `/v1/items/${combos[0]!}/ingredients`, 4],
    ['suppliers', () => `/v1/items/${items[0]!}/suppliers`, 3],
    ['contacts', () => '/v1/contacts', 1],
  ];
  test.for(LISTS)('a list of %s takes a fixed number of rounds, whatever its rows reference', async ([, getPath, expected]) => {
    const { id } = (await s.get('/v1/orders?module=sell&page_size=1')).body.data[0] as { id: string };
    const path = getPath().replace('{order}', id);
    await touchReferences();
    const rounds = await getRounds(() => s.get(path));
    expect(rounds.length, JSON.stringify(rounds)).toBe(expected);
    // No table is asked for rows one at a time.
    const calls = rounds.flat();
    expect(calls.filter((call) => calls.filter((other) => other === call).length > 2)).toEqual([]);
  });
});

describe('writes', () => {
  const lines = (count: number, more: object = {}) => items.slice(0, count).map((itemId) => ({ itemId, quantity: 1, ...more }));
  const order = async (module: string, contactId: string) =>
    made(s.post('/v1/orders', { module, contactId, status: 'open', lines: lines(10) }));
  const document = async (type: string, path: string) => {
    const id = await submitDocument(s, { type, lines: [...lines(50), ...lines(50)] });
    return `/v1/stock-documents/${id}/${path}`;
  };
  const WRITES: readonly (readonly [name: string, prepare: () => Promise<() => Promise<Reply>>, rounds: number])[] = [
    [
      'creating an item with category, unit and supplier',
      async () => {
        const { categoryId } = (await s.get(`/v1/items/${items[0]!}`)).body.data;
        return () => s.post('/v1/items', { name: 'New', sku: 'NEW', barcode: '1', categoryId, unitId: w.pcs, supplierId: w.supplier });
      },
      3,
    ],
    ['creating a contact', async () => Promise.resolve(() => s.post('/v1/contacts', { name: 'New', contactType: 'customer' })), 2],
    ['renaming an item', async () => Promise.resolve(() => s.patch(`/v1/items/${items[0]!}`, { name: 'Renamed' })), 5],
    [
      'creating an order of ten lines',
      async () => Promise.resolve(() => s.post('/v1/orders', { module: 'sell', contactId: w.customer, status: 'open', lines: lines(10) })),
      8,
    ],
    [
      'creating an order of ten combos at a site',
      async () => {
        const comboLines = combos.map((itemId) => ({ itemId, quantity: 1, siteId: w.site }));
        return Promise.resolve(() => s.post('/v1/orders', { module: 'sell', contactId: w.customer, status: 'open', lines: comboLines }));
      },
      13,
    ],
    [
      'completing an order of ten lines',
      async () => {
        const id = await order('sell', w.customer);
        return () => s.patch(`/v1/orders/${id}`, { status: 'completed' });
      },
      10,
    ],
    [
      'completing a purchase of ten lines',
      async () => {
        const id = await order('buy', w.supplier);
        return () => s.patch(`/v1/orders/${id}`, { status: 'completed' });
      },
      9,
    ],
    [
      'creating a document of 100 lines',
      async () => Promise.resolve(() => s.post('/v1/stock-documents', { type: 'receipt', lines: [...lines(50), ...lines(50)] })),
      7,
    ],
    [
      'approving a document of 100 lines',
      async () => {
        const path = await document('receipt', 'approve');
        return () => s.post(path, {});
      },
      6,
    ],
    [
      'reversing a document of 100 lines',
      async () => {
        const path = await document('issue', 'approve');
        expect((await s.post(path, {})).status).toBe(200);
        return () => s.post(path.replace('approve', 'cancel'), {});
      },
      // Two of them read the entries that are not reversed, for the costs that bound the average.
      10,
    ],
  ];

  test.for(WRITES)('%s takes a fixed number of rounds', async ([, prepare, expected]) => {
    const rounds = await getRounds(await prepare());
    expect(rounds.length, JSON.stringify(rounds)).toBe(expected);
  });

  test('the rounds of a write do not depend on webhook endpoints and events', async () => {
    const create = () => s.post('/v1/items', { name: 'Plain' });
    const before = (await getRounds(create)).length;
    for (let at = 0; at < 3; at += 1) await addWebhook(s, `http://127.0.0.1:${String(9_000 + at)}/`);
    expect([before, (await getRounds(create)).length]).toEqual([2, 2]);
    const id = await order('sell', w.customer);
    expect((await getRounds(() => s.patch(`/v1/orders/${id}`, { status: 'completed' }))).length).toBe(10);
  });
});

test('saving the usage of many operations takes a round for the tenant, and one for all counters and keys', async () => {
  const from = works.length;
  for (const path of ['/v1/items', '/v1/orders?module=sell', '/v1/contacts', '/v1/usage', '/v1/webhooks']) await s.get(path);
  await s.service.usage.save(s.service.store);
  const saves = works.slice(from).filter(({ rounds }) => rounds.flat().includes('usage.getMany'));
  expect(new Set(saves.map(({ rounds }) => JSON.stringify(rounds)))).toEqual(
    new Set([JSON.stringify([['tenants.get'], ['usage.getMany', 'apiKeys.getMany']])]),
  );
});

test('authentication takes a round for the key, and one for all that it depends on', async () => {
  const from = works.length;
  await s.get('/v1/auth/context');
  expect(works.slice(from).map(({ kind, rounds }) => [kind, rounds])).toContainEqual([
    'readLatest',
    [['apiKeys.findUnique'], ['tenants.get']],
  ]);
});
