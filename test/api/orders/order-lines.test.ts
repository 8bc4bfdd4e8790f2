/** The lines of an order: defaults, units, keyed replacement, totals, listing. */
import { describe, expect, test } from 'vitest';
import { addSite, made } from '../../support/resources/order-world.ts';
import { addUnit } from '../../support/resources/units-and-categories.ts';
import { ABSENT, getCode } from '../../support/service/service.ts';
import { trace } from '../../support/service/call-trace.ts';
import { type Wire, useOrderLines } from '../../support/resources/order-lines.ts';

const { create, s, w, withLines, change, item, problem, stored } = useOrderLines();

describe('a new order line', () => {
  test('takes name, SKU, description, unit and price from the item', async () => {
    const { id, lines } = await withLines('sell', [{ itemId: w.bolt, quantity: 12, discountPercent: 10, taxPercent: 23 }]);
    const { id: lineId, createdAt, updatedAt, ...line } = lines[0];
    expect(createdAt).toBe(updatedAt);
    expect(lineId).toMatch(/^[0-9a-f-]{36}$/u);
    expect(line).toEqual({
      orderId: id,
      lineNumber: 1,
      kind: 'item',
      itemId: w.bolt,
      item: { id: w.bolt, name: 'Bolt', sku: 'BOLT', itemType: 'product' },
      itemName: 'Bolt',
      itemSku: 'BOLT',
      description: 'Bolt',
      quantity: 12,
      unitId: w.pcs,
      unit: { id: w.pcs, name: 'Piece', symbol: 'pcs' },
      stockQuantity: 12,
      unitPrice: 0.35,
      discountPercent: 10,
      taxPercent: 23,
      lineSubtotal: 4.2,
      lineDiscount: 0.42,
      lineTax: 0.87,
      lineTotal: 4.65,
      fulfilledQuantity: 0,
      remainingQuantity: 12,
      siteId: null,
      notes: null,
    });
  });

  test('keeps its snapshot of the name and embeds the current item', async () => {
    const renamed = await item({ name: 'Before', sku: 'OLD-1' });
    const { id } = await withLines('sell', [{ itemId: renamed, quantity: 1 }]);
    await s.patch(`/v1/items/${renamed}`, { name: 'After', sku: 'NEW-1' });
    expect(await stored(id)).toMatchObject([
      { itemName: 'Before', itemSku: 'OLD-1', description: 'Before', item: { name: 'After', sku: 'NEW-1' } },
    ]);
  });

  test('defaults to the first kind of its module and rejects kinds of others', async () => {
    const kinds = { buy: 'item', sell: 'item', make: 'output or component', check: 'inspection', fix: 'target or part or service' };
    for (const [module, valid] of Object.entries(kinds)) {
      const [kind] = valid.split(' or ');
      expect((await withLines(module, [{ itemId: w.bolt, quantity: 1 }])).lines[0].kind).toBe(kind);
      const other = await create({ module, lines: [{ kind: kind === 'item' ? 'part' : 'item', itemId: w.bolt, quantity: 1 }] });
      expect(problem(other)).toEqual([400, '/lines/0/kind', 'not_allowed']);
      expect(other.body.error.message).toBe(`lines.0.kind must be ${valid} on a ${module} order.`);
    }
  });

  test.each([
    ['no item', { quantity: 1 }, '/lines/1/itemId', 'required'],
    ['no quantity', {}, '/lines/1/quantity', 'required'],
    ['quantity 0', { quantity: 0 }, '/lines/1/quantity', 'too_small'],
    ['dust for a quantity', { quantity: 1e-10 }, '/lines/1/quantity', 'too_small'],
    ['a text for a quantity', { quantity: '1' }, '/lines/1/quantity', 'wrong_type'],
    ['half a piece', { quantity: 0.5 }, '/lines/1/quantity', 'invalid'],
    ['seven decimals', { quantity: 1.2345678 }, '/lines/1/quantity', 'invalid'],
    ['a negative price', { quantity: 1, unitPrice: -1 }, '/lines/1/unitPrice', 'too_small'],
    ['more than everything off', { quantity: 1, discountPercent: 100.5 }, '/lines/1/discountPercent', 'too_big'],
    ['five decimals of a percent', { quantity: 1, taxPercent: 1.00001 }, '/lines/1/taxPercent', 'invalid'],
    ['an unknown site', { quantity: 1, siteId: '00000000-0000-4000-8000-000000000000' }, '/lines/1/siteId', 'invalid'],
    ['an unknown unit', { quantity: 1, unitId: '00000000-0000-4000-8000-000000000000' }, '/lines/1/unitId', 'invalid'],
    ['results of an inspection', { quantity: 1, passedQuantity: 1 }, '/lines/1/passedQuantity', 'not_allowed'],
    ['a component that is manual', { quantity: 1, isManual: true }, '/lines/1/isManual', 'not_allowed'],
    ['an id', { id: '00000000-0000-4000-8000-000000000000', quantity: 1 }, '/lines/1/id', 'unknown_field'],
    ['an amount beyond exact cents', { quantity: 999_999_999, unitPrice: 999_999_999 }, '/lines/1/unitPrice', 'too_big'],
  ])('with %s is rejected with its path', async (what, line, path, code) => {
    const itemId = what === 'no item' ? {} : { itemId: w.bolt };
    const { reply, events, actions } = await trace(s, () =>
      create({
        module: 'sell',
        lines: [
          { itemId: w.bolt, quantity: 1 },
          { ...itemId, ...line },
        ],
      }),
    );
    expect(problem(reply)).toEqual([400, path, code]);
    expect([events, actions]).toEqual([[], []]);
  });

  test('requires an existing, active item of a type that the kind allows', async () => {
    const absent = await create({ module: 'sell', lines: [{ itemId: '00000000-0000-4000-8000-000000000000', quantity: 1 }] });
    expect(problem(absent)).toEqual([400, '/lines/0/itemId', 'invalid']);
    const inactive = await item({ name: 'Old', isActive: false });
    const rejected = await create({ module: 'sell', lines: [{ itemId: inactive, quantity: 1 }] });
    expect(rejected.body.error).toMatchObject({
      code: 'INACTIVE_REFERENCE',
      message: 'Item Old is inactive; activate it or choose another one.',
      details: { itemId: inactive, path: '/lines/0/itemId' },
    });
    const material = await item({ name: 'Steel', itemType: 'material' });
    const line = (kind: string, itemId: string) => ({ kind, itemId, quantity: 1 });
    const refused = [
      ['buy', line('item', w.combo)],
      ['make', line('output', w.combo)],
      ['make', line('output', material)],
      ['make', line('component', w.combo)],
      ['check', line('inspection', w.combo)],
      ['fix', line('part', w.combo)],
    ] as const;
    for (const [module, each] of refused)
      expect([module, getCode(await create({ module, lines: [each] }))]).toEqual([module, 'INVALID_ITEM_TYPE']);
    expect((await create({ module: 'sell', lines: [line('item', w.combo), line('item', material)] })).status).toBe(201);
  });

  test('counts a null price as 0 and keeps null', async () => {
    const { lines, total } = await withLines('sell', [{ itemId: w.bolt, quantity: 5, unitPrice: null, taxPercent: 23 }]);
    expect([lines[0].unitPrice, lines[0].lineTotal, total]).toEqual([null, 0, 0]);
  });

  test('has a default price in sell and buy orders only', async () => {
    const prices: Record<string, number | null> = { buy: 0.2, sell: 0.35, make: null, check: null, fix: null };
    for (const [module, price] of Object.entries(prices)) {
      expect([module, (await withLines(module, [{ itemId: w.bolt, quantity: 1 }])).lines[0].unitPrice]).toEqual([module, price]);
    }
  });
});

describe('units of order lines', () => {
  test("default to the supplier's purchase unit in buy orders, prices included", async () => {
    const bag = await addUnit(s, 'bag60', 'mass', [60, 1], { precision: 0 });
    const green = await item({ name: 'Green', unitId: w.kg, purchasePrice: 8.4 });
    await s.post(`/v1/items/${green}/suppliers`, {
      supplierId: w.supplier,
      purchaseUnitId: bag,
      unitsPerPurchaseUnit: 59.5,
      purchasePrice: 480,
    });
    const [line] = (await withLines('buy', [{ itemId: green, quantity: 3 }], { contactId: w.supplier })).lines;
    expect(line).toMatchObject({ unitId: bag, quantity: 3, stockQuantity: 178.5, unitPrice: 480, lineTotal: 1440 });
    const [inKg] = (await withLines('buy', [{ itemId: green, quantity: 10.5, unitId: w.kg }], { contactId: w.supplier })).lines;
    expect(inKg).toMatchObject({ unitId: w.kg, stockQuantity: 10.5, unitPrice: 8.067227 });
    const other = await made(s.post('/v1/contacts', { name: 'Other', contactType: 'supplier' }));
    const [plain] = (await withLines('buy', [{ itemId: green, quantity: 1 }], { contactId: other })).lines;
    expect(plain).toMatchObject({ unitId: w.kg, unitPrice: 8.4 });
  });

  test("keep their stock factor when the supplier's packing changes", async () => {
    const box = await addUnit(s, 'crate', 'count', [1, 1], { precision: 0 });
    const nut = await item({ name: 'Nut', unitId: w.pcs });
    const path = `/v1/items/${nut}/suppliers`;
    await s.post(path, { supplierId: w.supplier, purchaseUnitId: box, unitsPerPurchaseUnit: 12 });
    const { id, lines } = await withLines('buy', [{ itemId: nut, quantity: 2 }], { contactId: w.supplier });
    await s.patch(`${path}/${w.supplier}`, { unitsPerPurchaseUnit: 10 });
    expect((await change(id, [{ id: lines[0].id, quantity: 3 }])).body.data.lines[0].stockQuantity).toBe(36);
    expect((await change(id, [{ itemId: nut, quantity: 3 }])).body.data.lines[0].stockQuantity).toBe(30);
  });

  test('are converted exactly within the dimension, prices included', async () => {
    const pound = await addUnit(s, 'lb', 'mass', [45_359_237, 100_000_000]);
    const [line] = (await withLines('sell', [{ itemId: w.coffee, quantity: 1000, unitId: pound }])).lines;
    expect(line).toMatchObject({ quantity: 1000, stockQuantity: 453.59237, unitPrice: 8.391459 });
  });

  test.each([
    ['another dimension', () => ({ itemId: w.coffee, unitId: w.pcs }), 'pcs cannot be converted to kg, the unit of Coffee'],
    [
      'an item without a unit',
      () => ({ itemId: w.combo, unitId: w.pcs }),
      'Gift set has no unit, so its lines cannot have one; omit unitId',
    ],
  ])('are rejected for %s', async (_what, getLine, message) => {
    const reply = await create({ module: 'sell', lines: [{ ...getLine(), quantity: 1 }] });
    expect(problem(reply)).toEqual([400, '/lines/0/unitId', 'not_allowed']);
    expect(reply.body.error.message).toBe(`lines.0.unitId: ${message}.`);
  });

  test('are rejected if they are inactive', async () => {
    const unitId = await addUnit(s, 'old box', 'count', [10, 1], { isActive: false });
    const { error } = (await create({ module: 'sell', lines: [{ itemId: w.bolt, quantity: 1, unitId }] })).body;
    expect(error).toMatchObject({
      code: 'INACTIVE_REFERENCE',
      message: 'Unit old box is inactive; activate it or choose another one.',
      details: { unitId, path: '/lines/0/unitId' },
    });
  });

  test('reject fractions of pieces', async () => {
    const dozen = await addUnit(s, 'dz', 'count', [12, 1], { precision: 2 });
    const [line] = (await withLines('sell', [{ itemId: w.bolt, quantity: 1.5, unitId: dozen }])).lines;
    expect([line.stockQuantity, line.unitPrice]).toEqual([18, 4.2]);
    expect(problem(await create({ module: 'sell', lines: [{ itemId: w.bolt, quantity: 0.01, unitId: dozen }] }))).toEqual([
      400,
      '/lines/0/quantity',
      'invalid',
    ]);
  });
});

describe('PATCH /v1/orders/{id} with lines', () => {
  test('matches lines by id, keeps omitted fields, adds, removes and renumbers', async () => {
    const { id, lines } = await withLines('sell', [
      { itemId: w.bolt, quantity: 1, notes: 'first', taxPercent: 23 },
      { itemId: w.coffee, quantity: 2 },
      { itemId: w.combo, quantity: 3 },
    ]);
    const { reply, events, actions, bodies, audit } = await trace(s, () =>
      change(id, [{ id: lines[2].id }, { itemId: w.bolt, quantity: 9 }, { id: lines[0].id, quantity: 7 }]),
    );
    const now = reply.body.data.lines;
    expect(now.map((line: Wire) => [line.lineNumber, line.quantity])).toEqual([
      [1, 3],
      [2, 9],
      [3, 7],
    ]);
    expect([now[0].id, now[2].id]).toEqual([lines[2].id, lines[0].id]);
    expect(now[2]).toMatchObject({ notes: 'first', taxPercent: 23, unitPrice: 0.35, createdAt: lines[0].createdAt });
    expect(now[2].updatedAt > lines[0].updatedAt).toBe(true);
    expect(await stored(id)).toEqual(now);
    expect(events).toEqual(['order.updated']);
    expect(actions).toEqual(['order.lines_replaced']);
    expect(bodies[0].data.changes).toEqual(['lines', 'subtotal', 'taxTotal', 'total']);
    expect(audit[0]?.metadata['lines']).toEqual({ added: 1, updated: 2, removed: 1 });
    expect(await stored(id)).toHaveLength(3);
  });

  test('keeps the lines without the field, removes them for an empty list, and changes nothing for the same set', async () => {
    const { id, lines, updatedAt } = await withLines('sell', [
      { itemId: w.bolt, quantity: 1 },
      { itemId: w.coffee, quantity: 2.5 },
    ]);
    const same = lines.map(({ id: lineId, quantity, unitPrice, description }: Wire) => ({ id: lineId, quantity, unitPrice, description }));
    const { reply, events, actions } = await trace(s, () => change(id, same));
    expect([reply.body.data.lines, reply.body.data.updatedAt, events, actions]).toEqual([lines, updatedAt, [], []]);
    await s.patch(`/v1/orders/${id}`, { notes: 'n' });
    expect(await stored(id)).toEqual(lines);
    const emptied = (await change(id, [])).body.data;
    expect(emptied).toMatchObject({ lines: [], lineCount: 0, total: 0 });
    expect((await s.get(`/v1/orders?module=sell&item_id=${w.bolt}&search=${emptied.orderNumber as string}`)).body.data).toEqual([]);
  });

  test('rejects unknown, foreign and repeated ids and changes nothing', async () => {
    const mine = await withLines('sell', [{ itemId: w.bolt, quantity: 1 }]);
    const other = await withLines('sell', [{ itemId: w.bolt, quantity: 1 }]);
    const own = { id: mine.lines[0].id };
    const unknown = (id: string) => `the order has no line ${id}. Omit id to add a line`;
    for (const [line, message] of [
      [{ id: ABSENT }, unknown(ABSENT)],
      [{ id: other.lines[0].id }, unknown(other.lines[0].id)],
      [own, `line ${String(own.id)} is listed twice`],
    ] as const) {
      const { reply, events, actions } = await trace(s, () => change(mine.id, [own, line]));
      expect(problem(reply)).toEqual([400, '/lines/1/id', 'invalid']);
      expect(reply.body.error.message).toBe(`lines.1.id: ${message}.`);
      expect([events, actions]).toEqual([[], []]);
    }
    expect(await stored(mine.id)).toEqual(mine.lines);
  });

  test('resets defaults when a line gets another item, but keeps explicit fields', async () => {
    const { id, lines } = await withLines('sell', [{ itemId: w.bolt, quantity: 4, discountPercent: 5, notes: 'keep' }]);
    const [line] = (await change(id, [{ id: lines[0].id, itemId: w.coffee }])).body.data.lines;
    expect(line).toMatchObject({
      id: lines[0].id,
      itemName: 'Coffee',
      itemSku: 'COFFEE',
      description: 'Coffee',
      unitId: w.kg,
      unitPrice: 18.5,
      quantity: 4,
      discountPercent: 5,
      notes: 'keep',
    });
  });

  test('keeps at least one line of an open order and the kind of a line in progress', async () => {
    const { id, lines } = await withLines('sell', [{ itemId: w.bolt, quantity: 4 }], { status: 'open', contactId: w.customer });
    expect(getCode(await change(id, []))).toBe('FIELD_LOCKED');
    const fix = await withLines('fix', [{ itemId: w.bolt, quantity: 1 }]);
    const changed = await change(fix.id, [{ id: fix.lines[0].id, kind: 'part' }]);
    expect(problem(changed)).toEqual([400, '/lines/0/kind', 'not_allowed']);
    expect(changed.body.error.message).toBe(
      'lines.0.kind: the kind of a line cannot change. Remove the target line and add one of kind part.',
    );
    expect((await stored(id))[0].id).toBe(lines[0].id);
  });

  test('locks prices of make and check orders once in progress, not those of sales', async () => {
    const sell = await withLines('sell', [{ itemId: w.bolt, quantity: 4 }], { status: 'open', contactId: w.customer });
    const check = await withLines('check', [{ itemId: w.bolt, quantity: 4 }], { status: 'open' });
    for (const { id } of [sell, check]) await s.patch(`/v1/orders/${id as string}`, { status: 'in_progress' });
    expect((await change(sell.id, [{ id: sell.lines[0].id, unitPrice: 1 }])).status).toBe(200);
    const locked = await change(check.id, [{ id: check.lines[0].id, unitPrice: 1 }]);
    expect([getCode(locked), locked.body.error.details.fields]).toEqual(['FIELD_LOCKED', ['lines.0.unitPrice']]);
    expect((await change(check.id, [{ id: check.lines[0].id, passedQuantity: 4 }])).body.data.lines[0].result).toBe('pass');
  });

  test('accepts 500 lines; a status change keeps them, except that opening fixes combo components', async () => {
    const many = Array.from({ length: 500 }, (_, at) => ({ itemId: at % 2 ? w.bolt : w.combo, quantity: at + 1 }));
    const { id, lines, lineCount } = await withLines('sell', many, { contactId: w.customer });
    expect([lines.length, lineCount]).toEqual([500, 500]);
    const touched: string[] = [];
    const end = s.service.store.onCommit(({ changes }) => touched.push(...changes.map(({ table }) => table)));
    await s.patch(`/v1/orders/${id as string}`, { status: 'open' });
    expect(touched.filter((table) => table === 'orderLines')).toHaveLength(250);
    expect(touched.filter((table) => table === 'orders')).toHaveLength(1);
    touched.length = 0;
    await s.patch(`/v1/orders/${id as string}`, { status: 'in_progress' });
    end();
    expect(touched.filter((table) => table === 'orderLines')).toEqual([]);
    expect(touched.filter((table) => table === 'orders')).toHaveLength(1);
    expect(touched.filter((table) => table === 'stockLevels')).toEqual([]);
    expect(problem(await change(id, [...lines.map((line: Wire) => ({ id: line.id })), { itemId: w.bolt, quantity: 1 }]))).toEqual([
      400,
      '/lines',
      'too_big',
    ]);
  });
});

describe('totals of orders', () => {
  test('are the sums of the rounded lines', async () => {
    const priced = (quantity: number, unitPrice: number, discountPercent: number, taxPercent: number) => ({
      itemId: w.coffee,
      quantity,
      unitPrice,
      discountPercent,
      taxPercent,
    });
    const { lines, ...order } = await withLines('sell', [priced(0.333333, 9.99, 12.5, 23), priced(3, 0.335, 0, 6), priced(1, 0.005, 0, 0)]);
    expect(lines.map((line: Wire) => [line.lineSubtotal, line.lineDiscount, line.lineTax, line.lineTotal])).toEqual([
      [3.33, 0.42, 0.67, 3.58],
      [1.01, 0, 0.06, 1.07],
      [0.01, 0, 0, 0.01],
    ]);
    expect(order).toMatchObject({ subtotal: 4.35, discountTotal: 0.42, taxTotal: 0.73, total: 4.66 });
  });
});

test('reject a purchase unit quantity that is not a whole number of pieces', async () => {
  const part = await item({ name: 'By weight', unitId: w.pcs });
  await s.post(`/v1/items/${part}/suppliers`, { supplierId: w.supplier, purchaseUnitId: w.kg });
  const lines = (quantity: number) => ({ module: 'buy', contactId: w.supplier, lines: [{ itemId: part, quantity }] });
  expect(problem(await create(lines(0.25)))).toEqual([400, '/lines/0/quantity', 'invalid']);
  expect((await create(lines(2))).body.data.lines[0]).toMatchObject({ quantity: 2, unitId: w.kg, stockQuantity: 2 });
});

test('error messages name the field as the schema does', async () => {
  const { error } = (await create({ module: 'sell', lines: [{ itemId: w.customer, quantity: 1 }] })).body;
  expect(error.message).toBe(`lines.0.itemId: there is no item ${w.customer}; GET /v1/items lists the valid ids.`);
  expect(error.fields).toMatchObject([{ path: '/lines/0/itemId', message: error.message.slice(0, -1) }]);
});

describe('GET /v1/orders/{id}/lines', () => {
  test('paginates in line order', async () => {
    const { id, lines } = await withLines(
      'sell',
      [5, 4, 3, 2, 1].map((quantity) => ({ itemId: w.bolt, quantity })),
    );
    const page = await s.get(`/v1/orders/${id as string}/lines?page=2&page_size=2`);
    expect(page.body).toEqual({ data: lines.slice(2, 4), pagination: { page: 2, pageSize: 2, total: 5, totalPages: 3 } });
    const back = await s.get(`/v1/orders/${id as string}/lines?sort=-line_number`);
    expect(back.body.data).toEqual([...lines].reverse());
    expect(getCode(await s.get(`/v1/orders/${id as string}/lines?search=x`))).toBe('VALIDATION_FAILED');
    expect(getCode(await s.get('/v1/orders/00000000-0000-4000-8000-000000000000/lines'))).toBe('NOT_FOUND');
  });

  test('filters by updated_since', async () => {
    const { id, lines } = await withLines('sell', [
      { itemId: w.bolt, quantity: 1, siteId: await addSite(s, 'LINE') },
      { itemId: w.bolt, quantity: 2 },
    ]);
    s.clock.advance(5);
    const since = s.clock.now().toISOString();
    await change(id, [{ id: lines[0].id }, { id: lines[1].id, quantity: 3 }]);
    const changed = (await s.get(`/v1/orders/${id as string}/lines?updated_since=${since}`)).body.data;
    expect(changed.map((line: Wire) => line.quantity)).toEqual([3]);
  });
});
