/** POST /v1/orders and order numbers. */
import { beforeAll, describe, expect, test } from 'vitest';
import { addDays, toCalendarDay } from '../../../src/domain/kernel/context.ts';
import { addSite, addUser, made } from '../../support/resources/order-world.ts';
import { stockUp } from '../../support/resources/stock.ts';
import { trace } from '../../support/service/call-trace.ts';
import { type Reply, getCode, startService } from '../../support/service/service.ts';
import { useOrders } from '../../support/resources/orders.ts';

const { change, create, s, w } = useOrders();

beforeAll(async () => {
  // Enough for every order that is completed here.
  await stockUp(s, [{ itemId: w.bolt, quantity: 10_000, unitCost: 0.2 }]);
});

const sale = (more: object = {}) => ({ module: 'sell', contactId: w.customer, lines: [{ itemId: w.bolt, quantity: 10 }], ...more });
const getField = (reply: Reply): string => reply.body.error.fields[0].path as string;
const nothing = { events: [], actions: [] };

describe('POST /v1/orders', () => {
  test('creates a numbered draft with lines and emits one event', async () => {
    const { reply, events, actions, bodies } = await trace(s, () => create(sale({ reference: ' PO 77 ', notes: '' })));
    expect(reply.status).toBe(201);
    const { data } = reply.body;
    expect(data).toMatchObject({
      module: 'sell',
      orderNumber: 'SO-000001',
      status: 'draft',
      contactId: w.customer,
      contact: { id: w.customer, name: 'Café Baixa' },
      siteId: null,
      site: null,
      priority: 'normal',
      assignedTo: null,
      reference: 'PO 77',
      notes: null,
      sourceOrderId: null,
      currency: 'EUR',
      subtotal: 3.5,
      total: 3.5,
      lineCount: 1,
      fulfilment: 'none',
      closedShort: false,
      completedAt: null,
      stockDocumentIds: [],
    });
    expect(data.lines).toHaveLength(1);
    expect(reply.headers['location']).toBe(`/v1/orders/${data.id as string}`);
    expect(reply.headers['etag']).toBe(`"${data.updatedAt as string}"`);
    expect(events).toEqual(['order.created']);
    expect(actions).toEqual(['order.created']);
    expect(bodies[0].data).toMatchObject({
      id: data.id,
      changes: [],
      module: 'sell',
      status: 'draft',
      orderNumber: 'SO-000001',
      contactId: w.customer,
      siteId: null,
      priority: 'normal',
      orderDate: data.orderDate,
      dueDate: data.dueDate,
      total: 3.5,
      lineCount: 1,
    });
  });

  test('requires only the module and defaults to the house contact', async () => {
    for (const module of ['buy', 'sell', 'make', 'check', 'fix']) {
      const { status, body } = await create({ module });
      expect([status, body.data.contactId, body.data.lines]).toEqual([201, s.tenant.houseContactId, []]);
    }
  });

  test("defaults orderDate to today in the tenant's time zone and dueDate to the lead days after it", async () => {
    const { data } = (await create({ module: 'sell' })).body;
    const today = toCalendarDay(s.tenant.timezone, s.clock.now());
    expect([data.orderDate, data.dueDate]).toEqual([today, addDays(today, 7)]);
    const dated = (await create({ module: 'sell', orderDate: '2026-02-27' })).body.data;
    expect(dated.dueDate).toBe('2026-03-06');
    expect((await create({ module: 'sell', orderDate: '9999-12-30' })).body.data.dueDate).toBe('9999-12-31');
  });

  test('adds the longest supplier lead time to the due date of buy orders', async () => {
    const supplier = await made(s.post('/v1/contacts', { name: 'Slow', contactType: 'supplier' }));
    const [quick, slow] = [await made(s.post('/v1/items', { name: 'Quick' })), await made(s.post('/v1/items', { name: 'Slow' }))];
    await s.post(`/v1/items/${quick}/suppliers`, { supplierId: supplier, leadTimeDays: 2 });
    await s.post(`/v1/items/${slow}/suppliers`, { supplierId: supplier, leadTimeDays: 14 });
    const lines = [quick, slow].map((itemId) => ({ itemId, quantity: 1 }));
    const buy = { module: 'buy', contactId: supplier, orderDate: '2026-03-01', lines };
    expect((await create(buy)).body.data.dueDate).toBe('2026-03-22');
    expect((await create({ ...buy, dueDate: '2026-03-02' })).body.data.dueDate).toBe('2026-03-02');
    expect((await create({ ...buy, contactId: w.supplier })).body.data.dueDate).toBe('2026-03-08');
  });

  test.each([
    ['without module', {}, '/module'],
    ['in a status that is reached later', { module: 'sell', status: 'completed' }, '/status'],
    ['with an unknown field', { module: 'sell', total: 5 }, '/total'],
    ['due before its date', { module: 'sell', orderDate: '2026-03-02', dueDate: '2026-03-01' }, '/dueDate'],
    ['without a day', { module: 'sell', orderDate: '' }, '/orderDate'],
    ['on a day that does not exist', { module: 'sell', orderDate: '2026-02-30' }, '/orderDate'],
    ['with a number of other characters', { module: 'sell', orderNumber: 'SO 1' }, '/orderNumber'],
    ['with a number that is too long', { module: 'sell', orderNumber: 'A'.repeat(41) }, '/orderNumber'],
    ['with an unknown contact', { module: 'sell', contactId: '00000000-0000-4000-8000-000000000000' }, '/contactId'],
    ['at an unknown site', { module: 'sell', siteId: '00000000-0000-4000-8000-000000000000' }, '/siteId'],
    ['for an unknown user', { module: 'sell', assignedTo: '00000000-0000-4000-8000-000000000000' }, '/assignedTo'],
    ['from an unknown order', { module: 'fix', sourceOrderId: '00000000-0000-4000-8000-000000000000' }, '/sourceOrderId'],
    ['with too many lines', { module: 'sell', lines: Array.from({ length: 501 }, () => ({})) }, '/lines'],
  ])('rejects %s and stores nothing', async (_what, body, path) => {
    const { reply, ...left } = await trace(s, () => create(body));
    expect([reply.status, getCode(reply), getField(reply)]).toEqual([400, 'VALIDATION_FAILED', path]);
    expect(left).toMatchObject(nothing);
  });

  test('rejects a contact of the wrong type for the module', async () => {
    const both = await made(s.post('/v1/contacts', { name: 'Both', contactType: 'both' }));
    const allowed = {
      buy: [w.supplier, both],
      sell: [w.customer, both],
      fix: [w.customer, both],
      make: [w.customer, w.supplier],
      check: [w.supplier],
    };
    for (const [module, contacts] of Object.entries(allowed)) {
      for (const contactId of contacts) expect((await create({ module, contactId })).status).toBe(201);
    }
    for (const [module, contactId] of [
      ['buy', w.customer],
      ['sell', w.supplier],
      ['fix', w.supplier],
    ] as const) {
      const reply = await create({ module, contactId });
      expect([reply.status, getField(reply)]).toEqual([400, '/contactId']);
    }
  });

  test('rejects inactive contacts, sites and deactivated users and accepts invited users', async () => {
    const gone = await made(s.post('/v1/contacts', { name: 'Gone', isActive: false }));
    expect(getCode(await create({ module: 'sell', contactId: gone }))).toBe('INACTIVE_REFERENCE');
    expect(getCode(await create({ module: 'sell', siteId: await addSite(s, 'SHUT', false) }))).toBe('INACTIVE_REFERENCE');
    const left = await create({ module: 'sell', assignedTo: await addUser(s, 'left@example.com', 'deactivated') });
    expect([left.status, getField(left)]).toEqual([400, '/assignedTo']);
    expect((await create({ module: 'sell', assignedTo: await addUser(s, 'new@example.com', 'invited') })).status).toBe(201);
  });

  test('defaults the contact of a check order to that of its source order, which only check and fix orders have', async () => {
    const source = await made(create(sale()));
    expect((await create({ module: 'check', sourceOrderId: source })).body.data).toMatchObject({
      contactId: w.customer,
      sourceOrderId: source,
    });
    expect((await create({ module: 'fix', sourceOrderId: source })).body.data.contactId).toBe(s.tenant.houseContactId);
    const check = await made(create({ module: 'check' }));
    for (const [reply, code, message] of [
      [
        await create({ module: 'sell', sourceOrderId: source }),
        'not_allowed',
        'sourceOrderId is for check and fix orders only; this is a sell order.',
      ],
      [await change(check, { sourceOrderId: check }), 'invalid', 'sourceOrderId must be another order.'],
    ] as const)
      expect([reply.status, reply.body.error]).toMatchObject([400, { message, fields: [{ path: '/sourceOrderId', code }] }]);
  });
});

describe('order numbers', () => {
  test('count per module without gaps, regardless of rejected requests', async () => {
    await using own = await startService();
    const post = (body: object) => own.post('/v1/orders', body);
    const number = async (module: string) => (await post({ module })).body.data.orderNumber as string;
    expect(await number('buy')).toBe('PO-000001');
    expect((await post({ module: 'buy', status: 'open' })).status).toBe(409);
    expect((await post({ module: 'buy', lines: [{ quantity: 1 }] })).status).toBe(400);
    expect(await number('buy')).toBe('PO-000002');
    expect([await number('sell'), await number('make'), await number('check'), await number('fix')]).toEqual([
      'SO-000001',
      'MO-000001',
      'CO-000001',
      'FO-000001',
    ]);
    await own.restart();
    expect(await number('buy')).toBe('PO-000003');
  });

  test("use the tenant's prefix", async () => {
    await using own = await startService();
    await own.service.store.transact(own.tenant.id, (tx) => tx.tenants.put({ ...own.tenant, numberPrefixes: { sell: 'INV/' } }));
    const numbers = [
      (await own.post('/v1/orders', { module: 'sell' })).body.data.orderNumber,
      (await own.post('/v1/orders', { module: 'buy' })).body.data.orderNumber,
    ];
    expect(numbers).toEqual(['INV/000001', 'PO-000001']);
  });

  test('an imported number is unique case-insensitively and skipped by the counter', async () => {
    await using own = await startService();
    const post = (body: object) => own.post('/v1/orders', body);
    const imported = await post({ module: 'sell', orderNumber: 'po-000002' });
    expect(imported.body.data.orderNumber).toBe('po-000002');
    const { reply, ...left } = await trace(own, () => post({ module: 'buy', orderNumber: 'PO-000002' }));
    expect([reply.status, getCode(reply), reply.body.error.details]).toEqual([
      409,
      'DUPLICATE_VALUE',
      { field: 'orderNumber', value: 'PO-000002', existingId: imported.body.data.id },
    ]);
    expect(left).toMatchObject(nothing);
    const numbers = [];
    for (let i = 0; i < 2; i += 1) numbers.push((await post({ module: 'buy' })).body.data.orderNumber);
    expect(numbers).toEqual(['PO-000001', 'PO-000003']);
  });

  test('a replay returns the same number and does not advance the counter', async () => {
    const once = { idempotencyKey: 'order-once' };
    const first = await s.post('/v1/orders', { module: 'make' }, once);
    const { reply, ...left } = await trace(s, () => s.post('/v1/orders', { module: 'make' }, once));
    expect([reply.status, reply.text]).toEqual([201, first.text]);
    expect(left).toMatchObject(nothing);
    const next = (await create({ module: 'make' })).body.data.orderNumber as string;
    expect(Number(next.slice(3))).toBe(Number((first.body.data.orderNumber as string).slice(3)) + 1);
  });
});
