/** GET /v1/stock-levels. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StockLevel } from '../../../src/contract/resources/stock-levels.ts';
import { type LevelValues, openLevelBatch } from '../../../src/domain/stock/levels.ts';
import { addCategory, addUnit } from '../../support/resources/units-and-categories.ts';
import { addSite, made } from '../../support/resources/order-world.ts';
import { type Reply, type TestService, getCode, contextFor, startService } from '../../support/service/service.ts';
import { stockUp } from '../../support/resources/stock.ts';
import { problemsIn } from '../../support/contract/operation-matrix.ts';

let s: TestService;
const id: Record<string, string> = {};

/** Writes figures as the domain does, without the documents that would lead to them. */
const setLevel = (itemId: string, siteId: string, figures: Partial<LevelValues>) =>
  s.service.store.transact(s.tenant.id, async (tx) => {
    const levels = openLevelBatch(tx, contextFor(s));
    await levels.load([{ itemId, siteId }]);
    levels.change({ itemId, siteId }, figures);
    await levels.save();
  });
const list = async (query = '') => {
  const reply = await s.get(`/v1/stock-levels${query}`);
  expect(reply.status, reply.text).toBe(200);
  return reply.body;
};
const names = async (query: string) => (await list(query)).data.map(({ item, site }: StockLevel) => `${item.name} ${site.name}`);

beforeAll(async () => {
  s = await startService();
  id['main'] = s.tenant.defaultSiteId;
  id['north'] = await addSite(s, 'N');
  id['category'] = await addCategory(s, 'Nuts');
  id['pcs'] = await addUnit(s, 'screw', 'count', [1, 1], { precision: 0 });
  const item = (body: object) => made(s.post('/v1/items', body));
  id['bolt'] = await item({ name: 'Bolt', sku: 'B-1', unitId: id['pcs'] });
  id['nut'] = await item({ name: 'nut', sku: 'A-2', itemType: 'material', categoryId: id['category'] });
  id['oil'] = await item({ name: 'Oil', itemType: 'material' });
  id['kit'] = await item({ name: 'Kit', sku: 'K-1', itemType: 'combo', categoryId: id['category'] });
  id['box'] = await item({ name: 'Box', itemType: 'combo' });
  await made(s.post(`/v1/items/${id['kit']}/ingredients`, { ingredientItemId: id['bolt'], quantity: 1, perQuantity: 3 }));
  await made(s.post(`/v1/items/${id['kit']}/ingredients`, { ingredientItemId: id['nut'], quantity: 2 }));
  const set = (what: string, site: string, figures: Partial<LevelValues>) => setLevel(id[what]!, id[site]!, figures);
  await set('bolt', 'main', { onHand: 12_000_000, committed: 2_500_000, incoming: 1_000_000, stockValue: 3_000_001, averageCost: 250_000 });
  s.clock.advance(10);
  await set('bolt', 'north', { onHand: 2_000_000, stockValue: 500_000, averageCost: 250_000 });
  s.clock.advance(10);
  await set('nut', 'main', { onHand: 9_500_000, reorderPoint: 9_500_000, stockValue: 9_000_000 });
  s.clock.advance(10);
  await set('oil', 'main', { onHand: -1_000_000, stockValue: -4_000_000 });
  // Once there, gone now.
  await set('oil', 'north', { onHand: 1_000_000 });
  await set('oil', 'north', { onHand: 0 });
});
afterAll(() => s[Symbol.asyncDispose]());

test('GET /v1/stock-levels returns item, site, unit and all quantities in stock units', async () => {
  const { data } = await list(`?item_id=${id['bolt']}&site_id=${id['main']}`);
  expect(data).toEqual([
    {
      itemId: id['bolt'],
      item: { id: id['bolt'], name: 'Bolt', sku: 'B-1', itemType: 'product' },
      siteId: id['main'],
      site: { id: id['main'], name: 'Main' },
      unit: { id: id['pcs'], name: expect.any(String), symbol: 'screw' },
      onHand: 12,
      committed: 2.5,
      incoming: 1,
      available: 9.5,
      projected: 10.5,
      averageCost: 0.25,
      stockValue: 3.000001,
      reorderPoint: null,
      isLow: false,
      lastMovementAt: null,
      updatedAt: expect.any(String),
    },
  ]);
});

const ALL = ['Bolt Main', 'Bolt Site N', 'nut Main', 'Oil Main'];

describe('GET /v1/stock-levels filters', () => {
  test.each([
    ['', ALL],
    ['?include_zero=true', [...ALL, 'Oil Site N']],
    ['?include_zero=false', ALL],
    ['?item_type=material', ['nut Main', 'Oil Main']],
    ['?item_type=material&include_zero=true', ['nut Main', 'Oil Main', 'Oil Site N']],
    ['?low_stock=true', ['nut Main']],
    ['?low_stock=false', ['Bolt Main', 'Bolt Site N', 'Oil Main']],
    ['?below_zero=true', ['Oil Main']],
    ['?below_zero=false', ['Bolt Main', 'Bolt Site N', 'nut Main']],
    ['?search=b-1', ['Bolt Main', 'Bolt Site N']],
    ['?search=OIL', ['Oil Main']],
    ['?search=zinc', []],
  ])('%s', async (query, expected) => {
    expect((await names(query)).toSorted()).toEqual(expected.toSorted());
  });

  test('by site, item and category, and combinations', async () => {
    expect(await names(`?site_id=${id['north']}`)).toEqual(['Bolt Site N']);
    expect((await names(`?site_id=${id['north']},${id['main']}`)).length).toBe(4);
    expect(await names(`?category_id=${id['category']}`)).toEqual(['nut Main']);
    expect(await names(`?item_id=${id['bolt']},${id['oil']}&site_id=${id['main']}`)).toEqual(['Bolt Main', 'Oil Main']);
    expect(await names(`?item_id=${id['main']}`)).toEqual([]);
  });

  test('by updated_since', async () => {
    const { data } = await list('?sort=-updated_at');
    expect(await names(`?updated_since=${data[1].updatedAt}&sort=-updated_at`)).toEqual(['Oil Main', 'nut Main']);
  });

  test('reject unknown parameters by name', async () => {
    for (const wrong of [
      'lowstock=true',
      'low_stock=yes',
      'created_since=2026-01-01T00:00:00Z',
      'item_id=x',
      'item_type=kit',
      'sort=cost',
    ]) {
      const reply = await s.get(`/v1/stock-levels?${wrong}`);
      expect([wrong, reply.status]).toEqual([wrong, 400]);
      expect(problemsIn(reply)[0]).toContain(`query /${wrong.split('=')[0] ?? ''}`);
    }
  });
});

test.each([
  ['name', ALL],
  ['sku', ['nut Main', 'Bolt Main', 'Bolt Site N', 'Oil Main']],
  ['on_hand', ['Oil Main', 'Bolt Site N', 'nut Main', 'Bolt Main']],
  ['available', ['Oil Main', 'Bolt Site N', 'Bolt Main', 'nut Main']],
  ['projected', ['Oil Main', 'Bolt Site N', 'nut Main', 'Bolt Main']],
  ['stock_value', ['Oil Main', 'Bolt Site N', 'Bolt Main', 'nut Main']],
  ['updated_at', ['Bolt Main', 'Bolt Site N', 'nut Main', 'Oil Main']],
])('sorts by %s', async (sort, expected) => {
  const sorted = await names(`?sort=${sort}`);
  expect(new Set(sorted.slice(0, 2))).toEqual(new Set(expected.slice(0, 2)));
  expect(sorted.at(-1)).toBe(expected.at(-1));
  expect(await names(`?sort=-${sort}`)).toEqual(sorted.toReversed());
});

describe('levels of a combo', () => {
  const kits = async (query: string) =>
    (await list(query)).data.map(({ item, site, onHand }: StockLevel) => [item.name, site.name, onHand]);

  test('appear only on request, limited by the scarcest component at each site', async () => {
    expect(await kits('?item_type=combo')).toEqual([
      ['Box', 'Main', 0],
      ['Box', 'Site N', 0],
      ['Kit', 'Main', 4],
      ['Kit', 'Site N', 0],
    ]);
    expect(await kits(`?item_id=${id['kit']}&site_id=${id['main']}`)).toEqual([['Kit', 'Main', 4]]);
    expect(await names(`?search=kit`)).toEqual([]);
  });

  test('are virtual and have no other quantities', async () => {
    const [row] = (await list(`?item_id=${id['kit']}&site_id=${id['main']}`)).data;
    expect(row).toMatchObject({ isVirtual: true, onHand: 4, unit: null });
    const figures = ['committed', 'incoming', 'available', 'projected', 'averageCost', 'stockValue', 'reorderPoint', 'isLow', 'updatedAt'];
    expect(figures.map((field) => row[field])).toEqual(figures.map(() => null));
  });

  test('count a component that several lines need once', async () => {
    // One bolt is enough for three kits.
    await setLevel(id['nut']!, id['north']!, { onHand: 100_000_000 });
    expect(await kits(`?item_id=${id['kit']}&site_id=${id['north']}`)).toEqual([['Kit', 'Site N', 6]]);
    await setLevel(id['nut']!, id['north']!, { onHand: 0 });
  });

  test('follow the stored rows across pages', async () => {
    const query = '?item_type=combo,product&sort=name';
    const whole = await names(query);
    expect(whole).toEqual(['Bolt Main', 'Bolt Site N', 'Box Main', 'Box Site N', 'Kit Main', 'Kit Site N']);
    for (const size of [1, 2, 3, 4, 5]) {
      const walked = [];
      for (let page = 1; page <= Math.ceil(6 / size); page += 1) {
        const { data, pagination } = await list(`${query}&page=${String(page)}&page_size=${String(size)}`);
        expect(pagination.total).toBe(6);
        walked.push(...data.map(({ item, site }: StockLevel) => `${item.name} ${site.name}`));
      }
      expect(walked).toEqual(whole);
    }
    expect((await list(`${query}&page=9`)).data).toEqual([]);
  });

  test('honor the other filters and are never low or below zero', async () => {
    expect(await kits(`?item_type=combo&category_id=${id['category']}&site_id=${id['main']}`)).toEqual([['Kit', 'Main', 4]]);
    expect(await kits('?item_type=combo&search=k-1')).toHaveLength(2);
    for (const none of ['low_stock=true', 'low_stock=false', 'below_zero=true', 'updated_since=2020-01-01T00:00:00Z']) {
      expect([none, await kits(`?item_type=combo&${none}`)]).toEqual([none, []]);
    }
  });
});

test('GET /v1/stock-levels reflects changed item fields without changing updatedAt', async () => {
  const row = async () => (await list(`?item_id=${id['oil']}&site_id=${id['main']}`)).data[0];
  const before = await row();
  s.clock.advance(60);
  await s.patch(`/v1/items/${id['oil']}`, { name: 'Linseed oil', sku: 'OIL', itemType: 'product', categoryId: id['category'] });
  expect(await row()).toEqual({ ...before, item: { id: id['oil'], name: 'Linseed oil', sku: 'OIL', itemType: 'product' } });
  expect(await names(`?search=linseed`)).toEqual(['Linseed oil Main']);
  expect(await names(`?category_id=${id['category']}`)).toContain('Linseed oil Main');
  await s.patch(`/v1/items/${id['oil']}`, { name: 'Oil', sku: null, itemType: 'material', categoryId: null });
  expect(await row()).toEqual(before);
});

describe('records referenced by stock', () => {
  const getReferences = (reply: Reply) => [getCode(reply), reply.body.error.details.references];

  test('items, contacts and units of a document cannot be deleted or change it', async () => {
    const unit = await addUnit(s, 'drum', 'count');
    const [item, other] = [
      await made(s.post('/v1/items', { name: 'Held', unitId: unit })),
      await made(s.post('/v1/items', { name: 'Free' })),
    ];
    const supplier = await made(s.post('/v1/contacts', { name: 'Held', contactType: 'supplier' }));
    const draft = await made(
      s.post('/v1/stock-documents', { type: 'receipt', contactId: supplier, lines: [{ itemId: item, quantity: 2 }] }),
    );
    const held = { stockDocumentLines: 1 };
    expect(getReferences(await s.delete(`/v1/items/${item}`))).toEqual(['RESOURCE_IN_USE', held]);
    expect(getReferences(await s.delete(`/v1/contacts/${supplier}`))).toMatchObject(['RESOURCE_IN_USE', { stockDocuments: 1 }]);
    expect(getReferences(await s.patch(`/v1/items/${item}`, { unitId: null }))).toMatchObject([
      'RESOURCE_IN_USE',
      { stockDocumentLines: 1 },
    ]);
    expect(getReferences(await s.patch(`/v1/items/${item}`, { itemType: 'combo' }))).toMatchObject([
      'RESOURCE_IN_USE',
      { stockDocumentLines: 1 },
    ]);
    expect((await s.delete(`/v1/stock-documents/${draft}`)).status).toBe(204);
    expect((await s.delete(`/v1/contacts/${supplier}`)).status).toBe(204);
    expect((await s.patch(`/v1/items/${item}`, { itemType: 'combo' })).status).toBe(200);
    expect((await s.delete(`/v1/items/${item}`)).status).toBe(204);
    expect((await s.delete(`/v1/items/${other}`)).status).toBe(204);
  });

  test('an item with ledger entries cannot be deleted, even if all were reversed', async () => {
    const item = await made(s.post('/v1/items', { name: 'Ledgered' }));
    const document = await stockUp(s, [{ itemId: item, quantity: 5, unitCost: 1 }]);
    expect((await s.post(`/v1/stock-documents/${document}/cancel`, {})).status).toBe(200);
    const [code, references] = getReferences(await s.delete(`/v1/items/${item}`));
    expect([code, references.ledgerEntries, references.stockLevels]).toEqual(['RESOURCE_IN_USE', 2, undefined]);
    expect(await names(`?item_id=${item}`)).toEqual([]);
    expect(await names(`?item_id=${item}&include_zero=true`)).toEqual(['Ledgered Main']);
  });

  test('a component committed by an open order cannot be deleted, even if the recipe changed', async () => {
    const [part, kit] = [
      await made(s.post('/v1/items', { name: 'Part' })),
      await made(s.post('/v1/items', { name: 'Set', itemType: 'combo' })),
    ];
    const ingredient = await made(s.post(`/v1/items/${kit}/ingredients`, { ingredientItemId: part, quantity: 2 }));
    const contactId = await made(s.post('/v1/contacts', { name: 'Buyer' }));
    const order = await made(s.post('/v1/orders', { module: 'sell', status: 'open', contactId, lines: [{ itemId: kit, quantity: 3 }] }));
    expect((await list(`?item_id=${part}`)).data).toMatchObject([{ onHand: 0, committed: 6, available: -6, projected: -6 }]);
    expect((await s.delete(`/v1/items/${kit}/ingredients/${ingredient}`)).status).toBe(204);
    expect(getReferences(await s.delete(`/v1/items/${part}`))).toMatchObject(['RESOURCE_IN_USE', { stockLevels: 1 }]);
    expect((await s.patch(`/v1/orders/${order}`, { status: 'cancelled' })).status).toBe(200);
    expect((await s.delete(`/v1/items/${part}`)).status).toBe(204);
    expect(await names(`?item_id=${part}&include_zero=true`)).toEqual([]);
  });
});
