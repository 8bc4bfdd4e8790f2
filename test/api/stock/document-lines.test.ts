/** /v1/stock-documents/{id}/lines. */
import { describe, expect, test } from 'vitest';
import { STOCK_LINES_MAX } from '../../../src/contract/limits.ts';
import { made } from '../../support/resources/order-world.ts';
import { addUnit } from '../../support/resources/units-and-categories.ts';
import type { Reply } from '../../support/service/service.ts';
import { getProblems, refused, trace } from '../../support/service/call-trace.ts';
import { useOrders } from '../../support/resources/orders.ts';

const { s, w } = useOrders();

const PATH = '/v1/stock-documents';
const HEADS = {
  receipt: {},
  issue: {},
  transfer: { toSiteId: '' },
  adjustment: { reason: 'found' },
  count: {},
  production: {},
} as const;
type Type = keyof typeof HEADS;
const draft = (type: Type, lines: readonly object[] = [], more: object = {}) =>
  made(s.post(PATH, { type, ...HEADS[type], ...(type === 'transfer' ? { toSiteId: w.site } : {}), lines, ...more }));
const add = (id: string, line: object) => s.post(`${PATH}/${id}/lines`, line);
const change = (id: string, line: string, body: object) => s.patch(`${PATH}/${id}/lines/${line}`, body);
const remove = (id: string, line: string) => s.delete(`${PATH}/${id}/lines/${line}`);
const getLines = async (id: string) => (await s.get(`${PATH}/${id}?include=lines`)).body.data.lines;
const getDocument = async (id: string) => (await s.get(`${PATH}/${id}`)).body.data;
const item = (more: object = {}) => made(s.post('/v1/items', { name: `Item ${s.service.newId()}`, ...more }));
const getData = ({ status, text, body }: Reply) => {
  expect([200, 201], text).toContain(status);
  return body.data;
};

describe('POST /v1/stock-documents/{id}/lines', () => {
  test('appends a line and emits a change of the document', async () => {
    const id = await draft('receipt', [{ itemId: w.coffee, quantity: 1 }]);
    const before = await getDocument(id);
    const { reply, events, actions, bodies, audit } = await trace(s, () =>
      add(id, { itemId: w.bolt, quantity: 10, unitCost: 0.25, notes: ' box ' }),
    );
    const data = getData(reply);
    expect(data).toMatchObject({
      documentId: id,
      lineNumber: 2,
      itemId: w.bolt,
      item: { id: w.bolt, name: 'Bolt', sku: 'BOLT' },
      direction: null,
      quantity: 10,
      countedQuantity: null,
      expectedQuantity: null,
      unitId: w.pcs,
      unit: { id: w.pcs, symbol: 'pcs' },
      stockQuantity: 10,
      unitCost: 0.25,
      orderLineId: null,
      notes: 'box',
      postedQuantity: null,
      onHandAfter: null,
    });
    expect(reply.headers['location']).toBe(`${PATH}/${id}/lines/${data.id as string}`);
    expect(reply.headers['etag']).toBe(`"${data.updatedAt as string}"`);
    expect([events, actions]).toEqual([['stock_document.updated'], ['stock_document.line.added']]);
    expect(bodies[0].data).toMatchObject({ id, changes: ['lines', 'lineCount'], lineCount: 2 });
    expect(audit[0]?.metadata).toMatchObject({ lineId: data.id, lineNumber: 2, itemId: w.bolt });
    const after = await getDocument(id);
    expect(after.lineCount).toBe(2);
    expect(after.updatedAt > before.updatedAt).toBe(true);
  });

  test('accepts the fields of the document type and rejects others by name', async () => {
    const all = { direction: 'in', quantity: 1, countedQuantity: 1, expectedQuantity: 1, unitCost: 1, orderLineId: s.service.newId() };
    const own: Record<Type, (keyof typeof all)[]> = {
      receipt: ['quantity', 'unitCost', 'orderLineId'],
      issue: ['quantity', 'orderLineId'],
      transfer: ['quantity'],
      adjustment: ['quantity', 'unitCost'],
      count: ['countedQuantity', 'expectedQuantity'],
      production: ['direction', 'quantity', 'orderLineId'],
    };
    const required: Readonly<Record<string, string>> = {
      direction: 'direction is required: in for outputs, out for components.',
      quantity: 'quantity is required.',
      countedQuantity: 'countedQuantity is required; use 0 when nothing is there.',
    };
    for (const type of Object.keys(own) as Type[]) {
      const id = await draft(type);
      const usual = Object.fromEntries(own[type].filter((field) => field !== 'orderLineId').map((field) => [field, all[field]]));
      for (const field of (Object.keys(all) as (keyof typeof all)[]).filter((each) => !own[type].includes(each))) {
        const reply = await refused(s, () => add(id, { itemId: w.bolt, ...usual, [field]: all[field] }), 400, 'VALIDATION_FAILED');
        expect([type, getProblems(reply)]).toEqual([type, [`/${field} not_allowed`]]);
        expect(reply.body.error.message).toBe(`${field} is not allowed on ${type} lines; allowed: ${own[type].join(', ')}.`);
      }
      const nothing = Object.fromEntries(Object.keys(all).map((field) => [field, null]));
      expect((await add(id, { itemId: w.bolt, ...nothing, ...usual })).status).toBe(201);
      for (const field of own[type].filter((each) => each in required)) {
        const { [field]: _, ...lacking } = usual;
        const reply = await refused(s, () => add(id, { itemId: w.coffee, ...lacking }), 400, 'VALIDATION_FAILED');
        expect([type, getProblems(reply), reply.body.error.message]).toEqual([type, [`/${field} required`], required[field]]);
      }
    }
  });

  test('rejects quantities of 0, seven decimals, fractions of pieces and wrong signs', async () => {
    const [receipt, adjustment, count] = [await draft('receipt'), await draft('adjustment'), await draft('count')];
    const wrong: [id: string, line: object, problem: string, message?: string][] = [
      [receipt, { itemId: w.coffee, quantity: 0 }, '/quantity too_small'],
      [receipt, { itemId: w.coffee, quantity: -1 }, '/quantity too_small'],
      [receipt, { itemId: w.coffee, quantity: 1.000_000_1 }, '/quantity invalid'],
      [receipt, { itemId: w.bolt, quantity: 1.5 }, '/quantity invalid'],
      [receipt, { itemId: w.coffee, quantity: '1' }, '/quantity wrong_type'],
      [receipt, { itemId: w.coffee, quantity: 1e9 }, '/quantity too_big'],
      [receipt, { itemId: w.coffee, quantity: 1, unitCost: -1 }, '/unitCost too_small'],
      [
        adjustment,
        { itemId: w.coffee, quantity: 0 },
        '/quantity invalid',
        'quantity must not be 0; positive adds stock, negative removes it.',
      ],
      [
        adjustment,
        { itemId: w.coffee, quantity: -1, unitCost: 2 },
        '/unitCost not_allowed',
        'unitCost is for incoming stock only; outgoing stock is valued at its average cost.',
      ],
      [count, { itemId: w.coffee, countedQuantity: -1 }, '/countedQuantity too_small'],
      [count, { itemId: w.bolt, countedQuantity: 0.5 }, '/countedQuantity invalid'],
      [count, { itemId: w.bolt, countedQuantity: 1, expectedQuantity: 0.5 }, '/expectedQuantity invalid'],
    ];
    for (const [id, line, problem, message = expect.any(String)] of wrong) {
      const reply = await refused(s, () => add(id, line), 400, 'VALIDATION_FAILED');
      expect([line, getProblems(reply), reply.body.error.message]).toEqual([line, [problem], message]);
    }
    expect(getData(await add(receipt, { itemId: w.coffee, quantity: 0.1 + 0.2 })).quantity).toBe(0.3);
    expect(getData(await add(adjustment, { itemId: w.coffee, quantity: -2.5 }))).toMatchObject({ quantity: -2.5, stockQuantity: -2.5 });
    const empty = getData(await add(count, { itemId: w.coffee, countedQuantity: 0, expectedQuantity: 0 }));
    expect(empty).toMatchObject({ quantity: null, countedQuantity: 0, expectedQuantity: 0, stockQuantity: 0 });
  });

  test('converts a unit of the same dimension and rejects others', async () => {
    const gram = await addUnit(s, 'gr', 'mass', [1, 1000]);
    const kilo = await addUnit(s, 'kilo', 'mass', [1, 1]);
    const flour = await item({ unitId: kilo });
    const [adjustment, count, receipt] = [await draft('adjustment'), await draft('count'), await draft('receipt')];
    expect(getData(await add(adjustment, { itemId: flour, quantity: -250, unitId: gram }))).toMatchObject({
      quantity: -250,
      stockQuantity: -0.25,
      unitId: gram,
    });
    expect(getData(await add(count, { itemId: flour, countedQuantity: 0, expectedQuantity: 1500, unitId: gram }))).toMatchObject({
      stockQuantity: 0,
      expectedQuantity: 1500,
    });
    for (const unitId of [w.pcs, s.service.newId()]) {
      const reply = await refused(s, () => add(receipt, { itemId: flour, quantity: 1, unitId }), 400, 'VALIDATION_FAILED');
      expect(reply.body.error.fields[0].path).toBe('/unitId');
    }
  });

  test('rejects combos, inactive and unknown items', async () => {
    const retired = await item({ isActive: false });
    const id = await draft('receipt');
    await refused(s, () => add(id, { itemId: w.combo, quantity: 1 }), 409, 'INVALID_ITEM_TYPE');
    await refused(s, () => add(id, { itemId: retired, quantity: 1 }), 409, 'INACTIVE_REFERENCE');
    const reply = await refused(s, () => add(id, { itemId: s.service.newId(), quantity: 1 }), 400, 'VALIDATION_FAILED');
    expect(getProblems(reply)).toEqual(['/itemId invalid']);
    expect(await getLines(id)).toEqual([]);
  });

  test('rejects a second line for the same item in a count', async () => {
    const lines = [
      { itemId: w.bolt, countedQuantity: 1 },
      { itemId: w.bolt, countedQuantity: 2 },
    ];
    const twice = await refused(s, () => s.post(PATH, { type: 'count', lines }), 409, 'DUPLICATE_VALUE');
    expect(twice.body.error).toMatchObject({
      message: 'Lines 1 and 2 count the same item; a count has one line per item.',
      details: { field: 'itemId', value: w.bolt, lineNumbers: [1, 2] },
    });
    const id = await draft('count', [lines[0] ?? {}, { itemId: w.coffee, countedQuantity: 2 }]);
    await refused(s, () => add(id, { itemId: w.bolt, countedQuantity: 1 }), 409, 'DUPLICATE_VALUE');
    const [, second] = await getLines(id);
    await refused(s, () => change(id, second.id, { itemId: w.bolt }), 409, 'DUPLICATE_VALUE');
    const receipt = await draft('receipt', [{ itemId: w.bolt, quantity: 1 }]);
    expect((await add(receipt, { itemId: w.bolt, quantity: 1 })).status).toBe(201);
  });

  test(`accepts at most ${String(STOCK_LINES_MAX)} lines`, async () => {
    const lines = Array.from({ length: STOCK_LINES_MAX }, () => ({ itemId: w.bolt, quantity: 1 }));
    await refused(s, () => s.post(PATH, { type: 'receipt', lines: [...lines, lines[0]] }), 400, 'VALIDATION_FAILED');
    const id = await draft('receipt', lines);
    const { documentNumber } = await getDocument(id);
    const reply = await refused(s, () => add(id, { itemId: w.bolt, quantity: 1 }), 409, 'LIMIT_REACHED');
    expect(reply.body.error).toMatchObject({
      message: `${String(documentNumber)} has the maximum of ${String(STOCK_LINES_MAX)} lines. Create another document for the rest.`,
      details: { limit: STOCK_LINES_MAX },
    });
    expect(await getLines(id)).toHaveLength(STOCK_LINES_MAX);
  });
});

describe('PATCH /v1/stock-documents/{id}/lines/{id}', () => {
  test('keeps omitted fields, resets to the default with null, and audits the difference', async () => {
    const id = await draft('receipt', [{ itemId: w.coffee, quantity: 2, unitCost: 8, notes: 'pallet 1' }]);
    const [line] = await getLines(id);
    const { reply, events, actions, bodies, audit } = await trace(s, () => change(id, line.id, { quantity: 3, unitCost: null }));
    expect(getData(reply)).toEqual({ ...line, quantity: 3, stockQuantity: 3, unitCost: null, updatedAt: reply.body.data.updatedAt });
    expect(reply.body.data.updatedAt > line.updatedAt).toBe(true);
    expect([events, actions]).toEqual([['stock_document.updated'], ['stock_document.line.updated']]);
    expect(bodies[0].data.changes).toEqual(['lines']);
    expect(audit[0]?.metadata['changes']).toEqual({
      quantity: { from: 2, to: 3 },
      stockQuantity: { from: 2, to: 3 },
      unitCost: { from: 8, to: null },
    });
  });

  test('changes nothing for current values', async () => {
    const id = await draft('receipt', [{ itemId: w.coffee, quantity: 2, unitCost: 8 }]);
    const before = await getDocument(id);
    const [line] = await getLines(id);
    const { itemId, quantity, unitId, unitCost, notes } = line;
    for (const body of [{}, { itemId, quantity, unitId, unitCost, notes }]) {
      const { reply, events, actions } = await trace(s, () => change(id, line.id, body));
      expect([getData(reply), events, actions]).toEqual([line, [], []]);
    }
    expect(await getDocument(id)).toEqual(before);
  });

  test('uses the unit of a new item and indexes the document by it', async () => {
    const id = await draft('receipt', [{ itemId: w.coffee, quantity: 2, unitCost: 8 }]);
    const [line] = await getLines(id);
    const bolt = await item({ unitId: w.pcs });
    expect(getData(await change(id, line.id, { itemId: bolt }))).toMatchObject({
      itemId: bolt,
      unitId: w.pcs,
      unitCost: null,
      quantity: 2,
    });
    expect((await s.get(`${PATH}?item_id=${bolt}`)).body.data.map((row: { id: string }) => row.id)).toEqual([id]);
  });

  test('clears the cost of an adjustment that becomes negative', async () => {
    const id = await draft('adjustment', [{ itemId: w.coffee, quantity: 2, unitCost: 8 }]);
    const [line] = await getLines(id);
    expect(getData(await change(id, line.id, { quantity: -2 }))).toMatchObject({ quantity: -2, unitCost: null });
    await refused(s, () => change(id, line.id, { unitCost: 3 }), 400, 'VALIDATION_FAILED');
  });

  test('answers 412 for an outdated If-Match', async () => {
    const id = await draft('receipt', [{ itemId: w.coffee, quantity: 2 }]);
    const [line] = await getLines(id);
    const path = `${PATH}/${id}/lines/${line.id as string}`;
    const stale = { headers: { 'if-match': '"2000-01-01T00:00:00.000Z"' } };
    await refused(s, () => s.patch(path, { quantity: 3 }, stale), 412, 'PRECONDITION_FAILED');
    expect((await s.patch(path, { quantity: 3 }, { headers: { 'if-match': `"${line.updatedAt as string}"` } })).status).toBe(200);
  });
});

describe('DELETE /v1/stock-documents/{id}/lines/{id}', () => {
  test('renumbers the following lines', async () => {
    const id = await draft(
      'receipt',
      [1, 2, 3].map((quantity) => ({ itemId: w.bolt, quantity })),
    );
    const [, second] = await getLines(id);
    const { reply, events, actions, bodies } = await trace(s, () => remove(id, second.id));
    expect([reply.status, reply.text, events, actions]).toEqual([204, '', ['stock_document.updated'], ['stock_document.line.removed']]);
    expect(bodies[0].data).toMatchObject({ lineCount: 2, changes: ['lines', 'lineCount'] });
    const left = await getLines(id);
    expect(left.map((line: { lineNumber: number; quantity: number }) => [line.lineNumber, line.quantity])).toEqual([
      [1, 1],
      [2, 3],
    ]);
    expect((await remove(id, second.id)).status).toBe(404);
  });

  test('answers 404 for a line of another document', async () => {
    const [mine, other] = [await draft('receipt', [{ itemId: w.bolt, quantity: 1 }]), await draft('receipt')];
    const [line] = await getLines(mine);
    await refused(s, () => change(other, line.id, { quantity: 2 }), 404, 'NOT_FOUND');
    await refused(s, () => remove(other, line.id), 404, 'NOT_FOUND');
    expect(await getLines(mine)).toEqual([line]);
  });
});

test('lines can be changed in drafts only', async () => {
  const id = await draft('receipt', [{ itemId: w.bolt, quantity: 1 }]);
  const [line] = await getLines(id);
  const refuseAll = async () => {
    const { documentNumber, status } = await getDocument(id);
    for (const [call, action] of [
      [() => add(id, { itemId: w.bolt, quantity: 1 }), 'get new lines'],
      [() => change(id, line.id, { quantity: 2 }), 'have its lines changed'],
      [() => remove(id, line.id), 'have lines removed'],
    ] as const)
      expect((await refused(s, call, 409, 'INVALID_STATE')).body.error).toMatchObject({
        message: `${String(documentNumber)} is ${String(status)} and cannot ${action}. Required status: draft.`,
        details: { status, allowed: ['draft'] },
      });
  };
  for (const action of ['submit', 'approve', 'cancel']) {
    expect((await s.post(`${PATH}/${id}/${action}`, {})).status).toBe(200);
    await refuseAll();
  }
});

describe('document lines that fulfil an order', () => {
  const order = async (module: string, line: object, more: object = {}) => {
    const contactId = module === 'buy' ? w.supplier : module === 'make' ? undefined : w.customer;
    const id = await made(s.post('/v1/orders', { module, ...(contactId ? { contactId } : {}), status: 'open', lines: [line], ...more }));
    const { data } = (await s.get(`/v1/orders/${id}?include=lines`)).body;
    return { id, line: data.lines[0].id as string, number: data.orderNumber as string };
  };

  test('use unit and factor of the order line', async () => {
    const box = await addUnit(s, 'box12', 'count', [1, 1], { precision: 0 });
    const bolt = await item({ unitId: w.pcs });
    const link = { supplierId: w.supplier, purchaseUnitId: box, unitsPerPurchaseUnit: 12, purchasePrice: 6 };
    expect((await s.post(`/v1/items/${bolt}/suppliers`, link)).status).toBe(201);
    const { id: orderId, line: orderLineId } = await order('buy', { itemId: bolt, quantity: 4 });
    const id = await draft('receipt', [], { orderId });
    expect(getData(await add(id, { itemId: bolt, quantity: 3, orderLineId }))).toMatchObject({
      unitId: box,
      quantity: 3,
      stockQuantity: 36,
      orderLineId,
    });
  });

  test('must match document type, order and item', async () => {
    const bolts = { itemId: w.bolt, quantity: 4 };
    const [buy, sell] = [await order('buy', bolts), await order('sell', bolts)];
    const unknown = s.service.newId();
    const wrong: [type: Type, head: object, line: object, message: string][] = [
      ['receipt', {}, { orderLineId: buy.line }, 'orderLineId is allowed only on a document with an orderId'],
      ['receipt', { orderId: buy.id }, { orderLineId: sell.line }, `orderLineId: order ${buy.number} has no line ${sell.line}`],
      ['receipt', { orderId: sell.id }, { orderLineId: sell.line }, `orderLineId: line 1 of ${sell.number} is fulfilled by issue lines`],
      ['issue', { orderId: buy.id }, { orderLineId: buy.line }, `orderLineId: line 1 of ${buy.number} is fulfilled by receipt lines`],
      [
        'receipt',
        { orderId: buy.id },
        { orderLineId: buy.line, itemId: w.coffee },
        `orderLineId: line 1 of ${buy.number} requires another item`,
      ],
      ['receipt', { orderId: buy.id }, { orderLineId: unknown }, `orderLineId: order ${buy.number} has no line ${unknown}`],
    ];
    for (const [type, head, line, message] of wrong) {
      const id = await draft(type, [], head);
      const reply = await refused(s, () => add(id, { itemId: w.bolt, quantity: 1, ...line }), 400, 'VALIDATION_FAILED');
      expect(reply.body.error).toMatchObject({ message: `${message}.`, fields: [{ path: '/orderLineId' }] });
    }
    const id = await draft('receipt', [{ itemId: w.bolt, quantity: 1, orderLineId: buy.line }], { orderId: buy.id });
    const reply = await refused(s, () => s.patch(`${PATH}/${id}`, { orderId: null }), 400, 'VALIDATION_FAILED');
    expect(getProblems(reply)).toEqual(['/orderId not_allowed']);
    expect(reply.body.error.message).toBe('orderId cannot change while lines have an orderLineId. Clear those first.');
  });

  test('accept an item that became inactive later', async () => {
    const bolt = await item({ unitId: w.pcs });
    const { id: orderId, line: orderLineId } = await order('buy', { itemId: bolt, quantity: 4 });
    await s.patch(`/v1/items/${bolt}`, { isActive: false });
    const id = await draft('receipt', [], { orderId });
    await refused(s, () => add(id, { itemId: bolt, quantity: 1 }), 409, 'INACTIVE_REFERENCE');
    expect((await add(id, { itemId: bolt, quantity: 1, orderLineId })).status).toBe(201);
    expect((await s.post(`${PATH}/${id}/submit`, {})).status).toBe(200);
  });

  test('keep their own item when the order line changes to another one', async () => {
    const [was, is] = [await item({ unitId: w.pcs }), await item({ unitId: w.pcs })];
    const { id: orderId, line: orderLineId } = await order('buy', { itemId: was, quantity: 4 });
    const id = await draft('receipt', [{ itemId: was, quantity: 4, orderLineId, notes: 'two boxes' }], { orderId });
    expect((await s.patch(`/v1/orders/${orderId}`, { lines: [{ id: orderLineId, itemId: is }] })).status).toBe(200);
    expect((await s.post(`${PATH}/${id}/cancel`, {})).status).toBe(200);
    const [line] = await getLines(id);
    const { itemId, quantity, unitId, unitCost, notes } = line;
    const body = { itemId, quantity, unitId, unitCost, orderLineId, notes };
    const { reply, events, actions } = await trace(s, () => change(id, line.id, body));
    expect([getData(reply), events, actions]).toEqual([line, [], []]);
    await refused(s, () => change(id, line.id, { ...body, quantity: 5 }), 400, 'VALIDATION_FAILED');
  });

  test('are not counted twice in committed and incoming when submitted', async () => {
    const bolt = await item({ unitId: w.pcs });
    const { id: orderId, line: orderLineId } = await order('sell', { itemId: bolt, quantity: 4 });
    const committed = async () =>
      (await s.service.store.read(s.tenant.id, (tx) => tx.stockLevels.get(`${bolt} ${s.tenant.defaultSiteId}`)))?.committed ?? 0;
    const before = await committed();
    const lines = [
      { itemId: bolt, quantity: 3, orderLineId },
      { itemId: bolt, quantity: 2 },
    ];
    const id = await draft('issue', lines, { orderId });
    await s.post(`${PATH}/${id}/submit`, {});
    expect((await committed()) - before).toBe(2_000_000);
    await s.post(`${PATH}/${id}/cancel`, {});
    expect(await committed()).toBe(before);
  });
});

test('GET /v1/stock-documents/{id}/lines filters by item and searches name and SKU', async () => {
  const id = await draft('receipt', [
    { itemId: w.bolt, quantity: 1 },
    { itemId: w.coffee, quantity: 2 },
    { itemId: w.bolt, quantity: 3 },
  ]);
  await draft('receipt', [{ itemId: w.bolt, quantity: 99 }]);
  const found = async (query: string): Promise<number[]> => {
    const { body } = await s.get(`${PATH}/${id}/lines${query}`);
    expect(body.pagination.total).toBe(body.data.length);
    return (body.data as { quantity: number }[]).map(({ quantity }) => quantity);
  };
  expect(await found('')).toEqual([1, 2, 3]);
  expect(await found('?sort=-line_number')).toEqual([3, 2, 1]);
  expect(await found(`?item_id=${w.bolt}`)).toEqual([1, 3]);
  expect(await found('?search=OFF')).toEqual([2]);
  expect(await found('?search=bolt')).toEqual([1, 3]);
  expect(await found(`?search=bolt&item_id=${w.coffee}`)).toEqual([]);
  expect(await found('?search=nothing')).toEqual([]);
});

test('null is rejected for required fields of a line', async () => {
  const thing = await item();
  const cases = [
    ['receipt', { quantity: 2 }, 'quantity'],
    ['count', { countedQuantity: 2 }, 'countedQuantity'],
    ['production', { quantity: 2, direction: 'in' }, 'direction'],
  ] as const;
  for (const [type, line, field] of cases) {
    const id = await draft(type, [{ itemId: thing, ...line }]);
    const [{ id: lineId, ...before }] = await getLines(id);
    const reply = await change(id, lineId as string, { [field]: null });
    expect([type, reply.status, getProblems(reply)]).toEqual([type, 400, [`/${field} required`]]);
    expect((await getLines(id))[0]).toMatchObject(before);
  }
});
