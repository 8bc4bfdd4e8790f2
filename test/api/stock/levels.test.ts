/** GET /v1/stock-levels. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StockLevel } from '../../../src/contract/resources/stock-levels.ts';
import { type LevelValues, openLevelBatch } from '../../../src/domain/stock/levels.ts';
import { addCategory, addUnit } from '../../support/resources/units-and-categories.ts';
import { addSite, made } from '../../support/resources/order-world.ts';
import { type TestService, contextFor, startService } from '../../support/service/service.ts';
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
    ['?low_stock=true', ['nut Main', 'Oil Main']],
    ['?low_stock=false', ['Bolt Main', 'Bolt Site N']],
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
    const since = `?updated_since=${data[1].updatedAt}&sort=-updated_at`;
    expect(await names(since)).toEqual(['Oil Site N', 'Oil Main', 'nut Main']);
    expect(await names(`${since}&site_id=${id['north']}&item_type=material`)).toEqual(['Oil Site N']);
    expect(await names(`${since}&low_stock=false`)).toEqual(['Oil Site N']);
    expect(await names(`${since}&low_stock=true`)).toEqual(['Oil Main', 'nut Main']);
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

describe('GET /v1/stock-levels with item_id', () => {
  const quantities = async (query: string) =>
    (await list(query)).data.map(({ item, site, onHand }: StockLevel) => [item.name, site.name, onHand]);
  let gone: string;
  let unused: string;

  beforeAll(async () => {
    gone = await made(s.post('/v1/items', { name: 'Gone', categoryId: id['category'] }));
    unused = await made(s.post('/v1/items', { name: 'Unused', unitId: id['pcs'] }));
    await setLevel(gone, id['north']!, { onHand: 3_000_000 });
    await setLevel(gone, id['north']!, { onHand: 0 });
  });
  afterAll(async () => {
    for (const item of [gone, unused]) await s.delete(`/v1/items/${item}`);
  });

  test('returns a row of zeros at the default site for an item that never moved', async () => {
    const zero = { onHand: 0, committed: 0, incoming: 0, available: 0, projected: 0, stockValue: 0 };
    const { data, pagination } = await list(`?item_id=${unused}`);
    expect(pagination).toEqual({ page: 1, pageSize: 50, total: 1, totalPages: 1 });
    expect(data).toEqual([
      {
        itemId: unused,
        item: { id: unused, name: 'Unused', sku: null, itemType: 'product' },
        siteId: id['main'],
        site: { id: id['main'], name: 'Main' },
        unit: { id: id['pcs'], name: expect.any(String), symbol: 'screw' },
        ...zero,
        averageCost: null,
        reorderPoint: null,
        isLow: false,
        lastMovementAt: null,
        updatedAt: null,
      },
    ]);
  });

  test('returns the rows of zeros of an item that is at no site any more', async () => {
    expect(await quantities(`?item_id=${gone}`)).toEqual([['Gone', 'Site N', 0]]);
    expect((await list(`?item_id=${gone}`)).data[0].updatedAt).not.toBeNull();
    expect(await names('?search=gone')).toEqual([]);
  });

  test('hides rows of zeros of an item that has other rows', async () => {
    expect(await names(`?item_id=${id['oil']}`)).toEqual(['Oil Main']);
    expect(await names(`?item_id=${id['oil']}&include_zero=true`)).toEqual(['Oil Main', 'Oil Site N']);
  });

  test('and site_id returns a row of zeros at a selected site', async () => {
    expect(await quantities(`?item_id=${unused}&site_id=${id['north']}`)).toEqual([['Unused', 'Site N', 0]]);
    expect(await quantities(`?item_id=${unused}&site_id=${id['north']},${id['main']}`)).toEqual([['Unused', 'Main', 0]]);
    expect(await quantities(`?item_id=${gone}&site_id=${id['main']}`)).toEqual([['Gone', 'Main', 0]]);
    expect(await quantities(`?item_id=${id['oil']}&site_id=${id['north']}`)).toEqual([['Oil', 'Site N', 0]]);
    expect(await quantities(`?item_id=${unused}&site_id=${id['pcs']}`)).toEqual([]);
  });

  test('applies the other filters to rows of zeros', async () => {
    const both = `?item_id=${gone},${unused}`;
    expect(await names(`${both}&item_type=product`)).toEqual(['Gone Site N', 'Unused Main']);
    expect(await names(`${both}&item_type=material`)).toEqual([]);
    expect(await names(`${both}&item_type=combo`)).toEqual([]);
    expect(await names(`${both}&category_id=${id['category']}`)).toEqual(['Gone Site N']);
    expect(await names(`${both}&search=unu`)).toEqual(['Unused Main']);
    expect(await names(`${both}&low_stock=true`)).toEqual([]);
    expect(await names(`${both}&low_stock=false`)).toEqual(['Gone Site N', 'Unused Main']);
    expect(await names(`${both}&below_zero=true`)).toEqual([]);
    expect(await names(`${both}&below_zero=false`)).toEqual(['Gone Site N', 'Unused Main']);
    // Its only row is low, so it has one, but not here.
    expect(await names(`?item_id=${id['nut']}&low_stock=false`)).toEqual([]);
  });

  test('and updated_since returns only rows that changed', async () => {
    expect(await names(`?item_id=${gone},${unused}&updated_since=2020-01-01T00:00:00Z`)).toEqual(['Gone Site N']);
  });

  test('returns nothing for an item that does not exist', async () => {
    const deleted = await made(s.post('/v1/items', { name: 'Deleted' }));
    expect(await names(`?item_id=${deleted}`)).toEqual(['Deleted Main']);
    expect((await s.delete(`/v1/items/${deleted}`)).status).toBe(204);
    expect(await names(`?item_id=${deleted}`)).toEqual([]);
  });

  test('lists each row once across pages: stored rows, items that never moved, combos', async () => {
    const query = `?item_id=${[unused, id['kit'], gone, id['oil'], id['bolt']].join(',')}&sort=-name`;
    const whole = await names(query);
    expect(whole).toEqual(['Oil Main', 'Gone Site N', 'Bolt Site N', 'Bolt Main', 'Unused Main', 'Kit Main', 'Kit Site N']);
    for (const size of [1, 2, 3, 5]) {
      const walked = [];
      for (let page = 1; page <= Math.ceil(whole.length / size); page += 1) {
        const { data, pagination } = await list(`${query}&page=${String(page)}&page_size=${String(size)}`);
        expect(pagination.total).toBe(whole.length);
        walked.push(...data.map(({ item, site }: StockLevel) => `${item.name} ${site.name}`));
      }
      expect(walked).toEqual(whole);
    }
  });
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

  test('are virtual and have no other quantities than onHand and available', async () => {
    const [row] = (await list(`?item_id=${id['kit']}&site_id=${id['main']}`)).data;
    expect(row).toMatchObject({ isVirtual: true, onHand: 4, available: 4, unit: null });
    const figures = ['committed', 'incoming', 'projected', 'averageCost', 'stockValue', 'reorderPoint', 'isLow', 'lastMovementAt'];
    expect(figures.map((field) => row[field])).toEqual(figures.map(() => null));
  });

  test('available is net of what is committed of each component, in whole numbers and never below zero', async () => {
    const kit = async () => (await list(`?item_id=${id['kit']}&site_id=${id['main']}`)).data[0];
    for (const [committed, available] of [
      [3_500_000, 3],
      [9_500_000, 0],
      [20_000_000, 0],
    ] as const) {
      await setLevel(id['nut']!, id['main']!, { committed });
      expect(await kit()).toMatchObject({ onHand: 4, available, committed: null });
    }
    await setLevel(id['nut']!, id['main']!, { committed: 0 });
    // The 9.5 bolts that are available make 28 kits.
    expect(await kit()).toMatchObject({ onHand: 4, available: 4 });
  });

  test('updatedAt is the newest of the components at the site', async () => {
    const getUpdate = async (query: string) => (await list(query)).data[0].updatedAt;
    const kit = `?item_id=${id['kit']}&site_id=${id['main']}`;
    expect(await getUpdate(kit)).toBe(await getUpdate(`?item_id=${id['nut']}&site_id=${id['main']}`));
    s.clock.advance(10);
    await setLevel(id['bolt']!, id['main']!, { incoming: 2_000_000 });
    expect(await getUpdate(kit)).toBe(await getUpdate(`?item_id=${id['bolt']}&site_id=${id['main']}`));
    await setLevel(id['bolt']!, id['main']!, { incoming: 1_000_000 });
    expect((await list(`?item_id=${id['box']}&site_id=${id['main']}`)).data[0].updatedAt).toBeNull();
  });

  test('with updated_since are those with a component that changed since then at the site', async () => {
    s.clock.advance(10);
    const since = `updated_since=${s.clock.now().toISOString()}`;
    expect(await kits(`?item_type=combo&${since}`)).toEqual([]);
    await setLevel(id['bolt']!, id['north']!, { onHand: 1_000_000 });
    expect(await kits(`?item_type=combo&${since}`)).toEqual([['Kit', 'Site N', 0]]);
    expect(await kits(`?item_id=${id['kit']}&${since}`)).toEqual([['Kit', 'Site N', 0]]);
    expect(await kits(`?item_type=combo&${since}&site_id=${id['main']}`)).toEqual([]);
    expect(await kits(`?item_type=combo&${since}&search=box`)).toEqual([]);
    expect(await names(`?${since}`)).toEqual(['Bolt Site N']);
    await setLevel(id['bolt']!, id['north']!, { onHand: 2_000_000 });
    await setLevel(id['nut']!, id['main']!, { committed: 1_000_000 });
    await setLevel(id['nut']!, id['main']!, { committed: 0 });
    const pages = [];
    for (const page of [1, 2, 3]) {
      const body = await list(`?item_type=combo&${since}&page_size=1&page=${String(page)}`);
      expect(body.pagination).toMatchObject({ total: 2, totalPages: 2 });
      pages.push(body.data.map(({ site }: StockLevel) => site.name));
    }
    expect(pages).toEqual([['Main'], ['Site N'], []]);
  });

  test('with updated_until are those of which every component changed before, over all pages', async () => {
    const [bolt] = (await list(`?item_id=${id['bolt']}&site_id=${id['north']}`)).data as StockLevel[];
    s.clock.advance(10);
    const until = `updated_until=${s.clock.now().toISOString()}`;
    expect(await kits(`?item_type=combo&${until}`)).toHaveLength(2);
    await setLevel(id['nut']!, id['main']!, { committed: 1_000_000 });
    await setLevel(id['nut']!, id['main']!, { committed: 0 });
    for (const query of [`item_type=combo&${until}`, `item_id=${id['kit']},${id['box']}&${until}`]) {
      expect(await kits(`?${query}`)).toEqual([['Kit', 'Site N', 0]]);
      expect(await list(`?${query}&page_size=1`)).toMatchObject({
        data: [{ item: { name: 'Kit' } }],
        pagination: { total: 1, totalPages: 1 },
      });
      expect((await list(`?${query}&page_size=1&cursor=`)).pagination).toMatchObject({ hasMore: false });
    }
    const since = `updated_since=${bolt?.updatedAt ?? ''}`;
    expect(await kits(`?item_type=combo&${since}&${until}`)).toEqual([['Kit', 'Site N', 0]]);
    const never = await made(s.post('/v1/items', { name: 'Never moved' }));
    expect(await names(`?item_id=${never}&${until}`)).toEqual([]);
    expect((await s.delete(`/v1/items/${never}`)).status).toBe(204);
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
    for (const none of ['low_stock=true', 'low_stock=false', 'below_zero=true']) {
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
