/** Fixtures through the admin API: applied as a whole or not at all, repeatable, exported as they were applied. */
import { expect, test } from 'vitest';
import { SCENARIOS } from '../../../src/contract/admin/faults.ts';
import { startControl } from '../../support/service/control.ts';

const KEY = `pk_test_shop0001${'A'.repeat(38)}`;
const SIGNING_SECRET = 'ab'.repeat(32);
const CLIENT_SECRET = `cs_${'S'.repeat(43)}`;

const shop = {
  slug: 'shop',
  name: 'Shop',
  plan: 'enterprise',
  currency: 'USD',
  timezone: 'America/New_York',
  tier: 'elevated',
  users: [{ email: 'ana@shop.example', name: 'Ana', role: 'manager', status: 'active' }],
  sites: [
    { name: 'Depot', code: 'DEP', isDefault: true },
    { name: 'Store', code: 'STO' },
  ],
  units: [{ symbol: 'box', name: 'Box of 12', factorNum: 12 }],
  categories: [{ name: 'Screws', parent: 'Hardware' }, { name: 'Hardware' }],
  contacts: [
    { name: 'Ines Duarte', company: 'Bolt Shop', contactType: 'customer' },
    { name: 'Bolt Works', contactType: 'supplier' },
  ],
  items: [
    {
      sku: 'KIT',
      name: 'Repair kit',
      unit: 'pcs',
      salePrice: 12,
      ingredients: [{ ingredientItem: 'BOLT', quantity: 4 }],
    },
    {
      sku: 'BOLT',
      name: 'Bolt',
      unit: 'pcs',
      category: 'Screws',
      purchasePrice: 0.1,
      suppliers: [{ supplier: 'Bolt Works', purchaseUnit: 'box', unitsPerPurchaseUnit: 12, purchasePrice: 1.2 }],
    },
  ],
  reorderPoints: [{ item: 'BOLT', site: 'Depot', reorderPoint: 50 }],
  stock: [
    { item: 'BOLT', quantity: 200, unitCost: 0.1 },
    { item: 'KIT', site: 'STO', quantity: 5, unitCost: 3 },
  ],
  orders: [
    {
      name: 'first sale',
      module: 'sell',
      status: 'completed',
      contact: 'Bolt Shop',
      lines: [{ item: 'BOLT', quantity: 20, unitPrice: 0.3 }],
    },
    {
      name: 'open sale',
      module: 'sell',
      status: 'open',
      contact: 'Ines Duarte',
      assignedTo: 'Ana',
      lines: [{ item: 'BOLT', quantity: 30 }],
    },
    { name: 'purchase', module: 'buy', status: 'in_progress', contact: 'Bolt Works', lines: [{ item: 'BOLT', quantity: 2, unit: 'box' }] },
  ],
  documents: [
    { name: 'moved', type: 'transfer', status: 'approved', site: 'Depot', toSite: 'Store', lines: [{ item: 'BOLT', quantity: 40 }] },
    { name: 'count', type: 'count', status: 'draft', lines: [{ item: 'BOLT', countedQuantity: 139 }] },
  ],
  webhooks: [{ name: 'sync', targetUrl: 'https://shop.example/hooks', subscribedEvents: ['order.created'], signingSecret: SIGNING_SECRET }],
  applications: [
    { name: 'Partner', type: 'confidential', scopes: ['items:read'], clientId: `app_${'P'.repeat(22)}`, clientSecret: CLIENT_SECRET },
  ],
  keys: [{ name: 'tests', secret: KEY }],
};
const copy = () => structuredClone(shop);

test('fixtures create tenants with everything in them, usable with their fixed key', async () => {
  await using c = await startControl();
  const applied = await c.post('/control/fixtures', { tenants: [shop] });
  expect(applied.status, applied.text).toBe(200);
  expect(applied.body.data).toMatchObject({ changed: 0, unchanged: 0, tenants: [{ slug: 'shop', changed: 0 }] });
  const get = (path: string) => c.s.get(path, { key: KEY });
  expect((await get('/v1/auth/context')).body.data).toMatchObject({ tenant: { plan: 'enterprise' } });
  const { data: levels } = (await get('/v1/stock-levels?page_size=200')).body;
  const onHand = levels.map(
    (level: { item: { sku: string }; site: { name: string }; onHand: number; committed: number; incoming: number }) =>
      [level.item.sku, level.site.name, level.onHand, level.committed, level.incoming].join(' '),
  );
  expect(onHand.toSorted()).toEqual(['BOLT Depot 140 30 24', 'BOLT Store 40 0 0', 'KIT Store 5 0 0']);
  const { data: orders } = (await get('/v1/orders?module=all&include=totals')).body;
  expect(orders.map((order: { status: string; currency: string }) => `${order.status} ${order.currency}`).toSorted()).toEqual([
    'completed USD',
    'in_progress USD',
    'open USD',
  ]);
  expect((await get('/v1/webhooks')).body.data).toMatchObject([{ name: 'sync' }]);
  const token = await fetch(`${c.s.url}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`app_${'P'.repeat(22)}:${CLIENT_SECRET}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  expect(token.status, await token.text()).toBe(200);
  const checks = (await c.get('/control/doctor')).body.data.checks as { name: string; ok: boolean; detail: string }[];
  expect(checks.filter(({ ok }) => !ok)).toEqual([]);
});

test('ids derive from names, so they are equal in every run', async () => {
  const read = async () => {
    await using c = await startControl();
    await c.post('/control/fixtures', { tenants: [shop] });
    const lists = ['items', 'contacts', 'orders?module=all&include=lines', 'stock-documents', 'webhooks'];
    const replies = await Promise.all(lists.map((path) => c.s.get(`/v1/${path}`, { key: KEY })));
    const rows = replies.flatMap(({ body }) => body.data as { id: string; lines?: { id: string }[]; name?: string; type?: string }[]);
    // The documents that completing an order posts are those of the service.
    return rows.filter(({ type }) => type !== 'issue').flatMap(({ id, lines = [] }) => [id, ...lines.map((line) => line.id)]);
  };
  const first = await read();
  expect(first.length).toBeGreaterThan(15);
  expect((await read()).toSorted()).toEqual(first.toSorted());
});

test('applying again changes nothing, and applying a changed document changes only what differs', async () => {
  await using c = await startControl();
  const dry = (await c.post('/control/fixtures?dry_run=true', { tenants: [shop] })).body.data;
  expect((await c.get('/control/tenants')).body.pagination.total).toBe(1);
  const { created } = (await c.post('/control/fixtures', { tenants: [shop] })).body.data as { created: number };
  expect(dry).toMatchObject({ created, changed: 0, unchanged: 0 });
  const events = async () => (await c.s.get('/v1/events?limit=200', { key: KEY })).body.data.length as number;
  const before = await events();
  const again = (await c.post('/control/fixtures', { tenants: [shop] })).body.data as { unchanged: number };
  expect(again).toMatchObject({ created: 0, changed: 0, unchanged: created });
  expect(await events()).toBe(before);
  const other = copy();
  other.items[1]!.purchasePrice = 0.2;
  other.items.push({ sku: 'NUT', name: 'Nut', unit: 'pcs', salePrice: 1, ingredients: [] });
  other.stock[1]!.quantity = 8;
  other.orders[1]!.status = 'completed';
  other.documents[1]!.status = 'submitted';
  other.webhooks[0]!.signingSecret = 'cd'.repeat(32);
  const changed = (await c.post('/control/fixtures', { tenants: [other] })).body;
  expect(changed.data, JSON.stringify(changed)).toMatchObject({ created: 1, changed: 5 });
  const level = (await c.s.get('/v1/stock-levels?page_size=200', { key: KEY })).body.data.find(
    (row: { item: { sku: string } }) => row.item.sku === 'KIT',
  );
  expect(level.onHand).toBe(8);
  expect((await c.post('/control/fixtures', { tenants: [other] })).body.data).toMatchObject({ created: 0, changed: 0 });
});

const bakery = {
  slug: 'bakery',
  name: 'Bakery',
  plan: 'enterprise',
  items: [
    { sku: 'CAKE', name: 'Cake', ingredients: [{ ingredientItem: 'FLOUR', quantity: 2 }] },
    { sku: 'FLOUR', name: 'Flour' },
  ],
  stock: [{ item: 'FLOUR', quantity: 100, unitCost: 1 }],
  orders: [
    {
      name: 'baked',
      module: 'make',
      status: 'completed',
      lines: [
        { item: 'CAKE', quantity: 2 },
        { kind: 'component', item: 'FLOUR', quantity: 5 },
      ],
    },
    { name: 'planned', module: 'make', status: 'open', lines: [{ item: 'CAKE', quantity: 3 }] },
  ],
  keys: [{ name: 'tests', secret: KEY }],
};

test('applying make orders again keeps their lines, listed components and those of ingredients', async () => {
  await using c = await startControl();
  const apply = async (document: typeof bakery) => {
    const { status, text, body } = await c.post('/control/fixtures', { tenants: [document] });
    expect(status, text).toBe(200);
    return body.data as { created: number; changed: number; unchanged: number };
  };
  interface Line {
    readonly id: string;
    readonly itemSku: string;
    readonly quantity: number;
  }
  const readLines = async () => {
    const { data } = (await c.s.get('/v1/orders?module=make&include=lines&sort=order_number', { key: KEY })).body;
    return (data as { lines: Line[] }[]).map(({ lines }) => lines);
  };
  const { created } = await apply(bakery);
  const lines = await readLines();
  const toTexts = (orders: Line[][]) => orders.map((order) => order.map(({ itemSku, quantity }) => `${itemSku} ${String(quantity)}`));
  expect(toTexts(lines)).toEqual([
    ['CAKE 2', 'FLOUR 5'],
    ['CAKE 3', 'FLOUR 6'],
  ]);
  expect(await apply(bakery)).toMatchObject({ created: 0, changed: 0, unchanged: created });
  expect(await readLines()).toEqual(lines);

  const other = structuredClone(bakery);
  other.orders[1]!.lines[0]!.quantity = 4;
  expect(await apply(other)).toMatchObject({ created: 0, changed: 1 });
  const changed = await readLines();
  expect(toTexts(changed)[1]).toEqual(['CAKE 4', 'FLOUR 8']);
  expect(changed.map((order) => order.map(({ id }) => id))).toEqual(lines.map((order) => order.map(({ id }) => id)));
});

test.for<[order: number, change: Record<string, unknown>]>([
  [1, { unitPrice: 0.5 }],
  [1, { discountPercent: 10 }],
  [1, { taxPercent: 20 }],
  [1, { site: 'Store' }],
  [1, { description: 'Bolts' }],
  [1, { notes: 'Fragile' }],
  [2, { unit: 'pcs' }],
])('a line of order %i that states %j otherwise changes the order once', async ([at, change]) => {
  await using c = await startControl();
  expect((await c.post('/control/fixtures', { tenants: [shop] })).status).toBe(200);
  const other = copy();
  Object.assign(other.orders[at]!.lines[0]!, change);
  const apply = async () => (await c.post('/control/fixtures', { tenants: [other] })).body.data as unknown;
  expect(await apply()).toMatchObject({ created: 0, changed: 1 });
  expect(await apply()).toMatchObject({ created: 0, changed: 0 });
});

test('a line of a stock document that states anything otherwise is an error', async () => {
  await using c = await startControl();
  const base = copy();
  const assembled = [
    { item: 'KIT', direction: 'in', quantity: 1 },
    { item: 'BOLT', direction: 'out', quantity: 4 },
  ];
  const first = { ...base, documents: [...base.documents, { name: 'assembled', type: 'production', status: 'draft', lines: assembled }] };
  expect((await c.post('/control/fixtures', { tenants: [first] })).status).toBe(200);
  for (const [at, change] of [
    [0, { quantity: 41 }],
    [0, { unit: 'box' }],
    [0, { notes: 'Fragile' }],
    [1, { countedQuantity: 138 }],
    [1, { expectedQuantity: 5 }],
    [2, { direction: 'out' }],
  ] as const) {
    const other = structuredClone(first);
    Object.assign(other.documents[at]!.lines[0]!, change);
    const { status, body } = await c.post('/control/fixtures', { tenants: [other] });
    expect([status, body.error?.fields], JSON.stringify(change)).toMatchObject([400, [{ path: `/tenants/0/documents/${String(at)}` }]]);
    expect(body.error.message).toContain('exists with other lines');
  }
  expect((await c.post('/control/fixtures', { tenants: [first] })).body.data).toMatchObject({ created: 0, changed: 0 });
});

test('a receipt whose line was divided among lines of the order is unchanged when it is applied again', async () => {
  await using c = await startControl();
  const lines = [
    { item: 'BOLT', quantity: 1, unit: 'box', unitCost: 0.2 },
    { item: 'KIT', quantity: 1 },
    { item: 'BOLT', quantity: 4 },
  ];
  const purchased = [8, 6, 2].map((quantity) => ({ item: 'BOLT', quantity, unit: 'pcs' }));
  const split = {
    ...copy(),
    orders: [
      ...copy().orders,
      { name: 'split', module: 'buy', status: 'open', contact: 'Bolt Works', lines: [...purchased, { item: 'KIT', quantity: 1 }] },
    ],
    documents: [...copy().documents, { name: 'received', type: 'receipt', status: 'approved', order: 'split', lines }],
  };
  const apply = async (document: object) => (await c.post('/control/fixtures', { tenants: [document] })).body;
  expect((await apply(split)).data).toMatchObject({ changed: 0 });
  const { data } = (await c.s.get('/v1/stock-documents?type=receipt', { key: KEY })).body;
  expect(data[0].lineCount).toBe(5);
  expect((await apply(split)).data).toMatchObject({ created: 0, changed: 0 });
  for (const [at, change] of [
    [0, { quantity: 2 }],
    [0, { unitCost: 0.3 }],
    [1, { notes: 'Fragile' }],
    [2, { quantity: 3 }],
  ] as const) {
    const other = structuredClone(split);
    Object.assign(other.documents[2]!.lines[at]!, change);
    expect((await apply(other)).error?.message, JSON.stringify(change)).toContain('exists with other lines');
  }
});

test('a divided receipt of an item without unit is unchanged when it is applied again, and an error when its quantity is another', async () => {
  await using c = await startControl();
  const purchased = [3, 2, 4].map((quantity) => ({ item: 'WASHER', quantity }));
  const received = { name: 'received', type: 'receipt', status: 'approved', order: 'split', lines: [{ item: 'WASHER', quantity: 6 }] };
  const split = {
    ...copy(),
    items: [...copy().items, { sku: 'WASHER', name: 'Washer' }],
    orders: [...copy().orders, { name: 'split', module: 'buy', status: 'open', contact: 'Bolt Works', lines: purchased }],
    documents: [...copy().documents, received],
  };
  const apply = async (quantity: number) => {
    const documents = [...copy().documents, { ...received, lines: [{ item: 'WASHER', quantity }] }];
    return (await c.post('/control/fixtures', { tenants: [{ ...split, documents }] })).body;
  };
  expect((await apply(6)).data).toMatchObject({ changed: 0 });
  expect((await c.s.get('/v1/stock-documents?type=receipt', { key: KEY })).body.data[0].lineCount).toBe(3);
  expect((await apply(6)).data).toMatchObject({ created: 0, changed: 0 });
  // Three of the six are the first part.
  for (const other of [3, 5, 7]) expect((await apply(other)).error?.message, String(other)).toContain('exists with other lines');
});

test('a stock document whose header states anything otherwise is changed as a draft, and an error after it', async () => {
  await using c = await startControl();
  const apply = async (document: object) => (await c.post('/control/fixtures', { tenants: [document] })).body;
  expect((await apply(shop)).data).toMatchObject({ changed: 0 });
  for (const change of [{ reference: 'R-1' }, { notes: 'Monday' }, { documentDate: '2025-01-02' }, { contact: 'Bolt Works' }]) {
    const draft = copy();
    Object.assign(draft.documents[1]!, change);
    expect((await apply(draft)).data, JSON.stringify(change)).toMatchObject({ created: 0, changed: 1 });
    expect((await apply(draft)).data).toMatchObject({ created: 0, changed: 0 });
    const posted = copy();
    Object.assign(posted.documents[0]!, change);
    const { error } = await apply(posted);
    expect(error?.fields, JSON.stringify(change)).toMatchObject([{ path: '/tenants/0/documents/0' }]);
    expect(error.message).toMatch(/is approved and cannot be changed/u);
  }
  const moved = copy();
  Object.assign(moved.documents[1]!, { site: 'Store' });
  expect((await apply(moved)).data).toMatchObject({ changed: 1 });
});

test('a rule of the domain that one record breaks rejects all tenants of the document, and names the record', async () => {
  await using c = await startControl();
  const first = copy();
  const second = {
    ...copy(),
    slug: 'second',
    webhooks: [],
    applications: [],
    keys: [{ name: 'other', secret: KEY.replace('shop', 'next') }],
  };
  second.orders[0]!.lines = [{ item: 'BOLT', quantity: 500, unitPrice: 1 }];
  const reply = await c.post('/control/fixtures', { tenants: [first, second] });
  expect([reply.status, reply.body.error.code]).toEqual([400, 'VALIDATION_FAILED']);
  expect(reply.body.error.fields).toMatchObject([{ path: '/tenants/1/orders/0' }]);
  expect((await c.get('/control/tenants')).body.pagination.total).toBe(1);
  const missing = copy();
  missing.items[1]!.suppliers![0]!.supplier = 'Ines Duarte';
  const wrong = await c.post('/control/fixtures', { tenants: [missing] });
  expect(wrong.body.error.fields).toMatchObject([{ path: '/tenants/0/items/1/suppliers/0/supplier' }]);
  expect((await c.get('/control/tenants')).body.pagination.total).toBe(1);
});

test('an export applies to another service, with the same stock, orders and settings', async () => {
  await using c = await startControl();
  await c.post('/control/fixtures', { tenants: [shop] });
  const exported = (await c.get('/control/fixtures?tenant=shop&secrets=true')).body.data;
  expect(JSON.stringify(exported)).not.toContain(CLIENT_SECRET);
  expect(exported.tenants[0].webhooks).toMatchObject([{ name: 'sync', signingSecret: SIGNING_SECRET }]);
  expect(JSON.stringify((await c.get('/control/fixtures?tenant=shop')).body)).not.toContain(SIGNING_SECRET);
  await using other = await startControl();
  const applied = await other.post('/control/fixtures', exported);
  expect(applied.status, applied.text).toBe(200);
  const again = (await other.get('/control/fixtures?tenant=shop&secrets=true')).body.data.tenants[0];
  const sorted = (tenant: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries(tenant).map(([list, rows]) => [list, Array.isArray(rows) ? rows.map((row) => JSON.stringify(row)).toSorted() : rows]),
    );
  // Numbers of new orders start again.
  const { orders: _o, documents: _d, ...rest } = sorted(again);
  const { orders: _, documents: _e, ...expected } = sorted(exported.tenants[0]);
  expect(rest).toEqual(expected);
  expect(again.orders).toHaveLength(exported.tenants[0].orders.length);
});

test('an export has external ids, metadata and supplier codes', async () => {
  await using c = await startControl();
  const marks = (id: string) => ({ externalId: id, metadata: { source: 'shop' } });
  const item = { sku: 'BOLT', name: 'Bolt', supplierCode: 'S-1', ...marks('i-1') };
  const contact = { name: 'Bolt Works', contactType: 'supplier', ...marks('c-1') };
  const lines = [{ item: 'BOLT', quantity: 2 }];
  const tenant = {
    slug: 'marked',
    name: 'Marked',
    contacts: [contact],
    items: [item],
    orders: [{ name: 'purchase', module: 'buy', contact: 'Bolt Works', lines, ...marks('o-1') }],
    documents: [{ name: 'receipt', type: 'receipt', lines, ...marks('d-1') }],
  };
  const applied = await c.post('/control/fixtures', { tenants: [tenant] });
  expect(applied.status, applied.text).toBe(200);
  expect((await c.get('/control/fixtures?tenant=marked')).body.data.tenants).toMatchObject([
    { contacts: [contact], items: [item], orders: [marks('o-1')], documents: [marks('d-1')] },
  ]);
});

test('an export that is applied to its own tenant says why its records are not found, and changes nothing', async () => {
  await using c = await startControl();
  const { slug } = (await c.post('/control/tenants', { name: 'By hand' })).body.data;
  expect((await c.post(`/control/categories?tenant=${slug}`, { name: 'Equipment' })).status).toBe(201);
  const exported = (await c.get(`/control/fixtures?tenant=${slug}`)).body.data;
  const { error } = (await c.post('/control/fixtures', exported)).body;
  expect(error.fields).toEqual([expect.objectContaining({ path: '/tenants/0/categories/0' })]);
  expect(error.message).toBe(
    "name 'Equipment' is taken by another record. That record has an id of its own, while ids of fixtures derive from names: apply them to a new tenant, with another slug.",
  );
  const { data: item } = (await c.s.post('/v1/items', { name: 'Bolt', sku: 'B' })).body;
  const receipt = { type: 'receipt', lines: [{ itemId: item.id, quantity: 5, unitCost: 1 }] };
  expect((await c.s.post('/v1/stock-documents?approve=true', receipt)).status).toBe(201);
  const own = (await c.get(`/control/fixtures?tenant=${c.s.tenant.slug}`)).body.data;
  const doubled = await c.post('/control/fixtures', own);
  expect(doubled.body.error).toMatchObject({ message: expect.stringMatching(/^Bolt has 5 on hand that no fixtures posted, while ids/u) });
  expect(doubled.body.error.fields).toMatchObject([{ path: '/tenants/0/stock/0' }]);
  expect((await c.s.get('/v1/stock-levels')).body.data).toMatchObject([{ onHand: 5 }]);
  const renamed = { tenants: [{ ...exported.tenants[0], slug: 'another' }] };
  expect((await c.post('/control/fixtures', renamed)).status).toBe(200);
  // Both are in the document: another tenant would not help.
  const twice = {
    slug: 'twice',
    name: 'Twice',
    items: [
      { name: 'A', barcode: '1' },
      { name: 'B', barcode: '1' },
    ],
  };
  expect((await c.post('/control/fixtures', { tenants: [twice] })).body.error.message).toBe("barcode '1' is taken by another record.");
});

test('a scenario of the fixtures, or a built-in one, injects all of its faults or none', async () => {
  await using c = await startControl();
  const scenarios = {
    broken: [{ target: 'GET /v1/items', status: 418, times: 1 }],
    invalid: [
      { target: 'GET /v1/contacts', status: 500 },
      { target: 'nonsense', status: 500 },
    ],
  };
  const applied = await c.post('/control/fixtures', { tenants: [shop], scenarios });
  expect(applied.status, applied.text).toBe(200);
  const run = (scenario: string) => c.post('/control/faults/run', { scenario });
  expect((await run('broken')).body.data).toMatchObject([{ target: 'GET /v1/items', remaining: 1 }]);
  expect([(await c.s.get('/v1/items')).status, (await c.s.get('/v1/items')).status]).toEqual([418, 200]);
  expect((await run('invalid')).status).toBe(400);
  expect((await c.get('/control/faults')).body.data).toEqual([]);
  for (const name of Object.keys(SCENARIOS)) expect((await run(name)).status, name).toBe(200);
  const hits = Array.from({ length: 50 }, () => c.s.service.faults.matchDelivery('http://127.0.0.1:1/hook')).filter(Boolean);
  expect(hits.length).toBeGreaterThan(0);
  const unknown = await run('rate-limit-form');
  expect([unknown.status, unknown.body.error.message]).toEqual([404, expect.stringContaining('Did you mean rate-limit-storm?')]);
});
