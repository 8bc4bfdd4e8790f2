/** Creating orders, and their numbers. */
import { beforeAll, describe, expect, test } from 'vitest';
import { addDays, dayIn } from '../../src/domain/context.ts';
import { addSite, addUser, made } from '../support/orders.ts';
import { stockUp } from '../support/stock.ts';
import { trace } from '../support/trace.ts';
import { type Reply, codeOf, startService } from '../support/service.ts';
import { change, create, s, w } from '../support/ordering.ts';

beforeAll(async () => {
  // Enough for every order that is completed here.
  await stockUp(s, [{ itemId: w.bolt, quantity: 10_000, unitCost: 0.2 }]);
});

const sale = (more: object = {}) => ({ module: 'sell', contactId: w.customer, lines: [{ itemId: w.bolt, quantity: 10 }], ...more });
const fieldOf = (reply: Reply): string => reply.body.error.fields[0].path as string;
const nothing = { events: [], actions: [] };

describe('creating', () => {
  test('an order with lines is created as a draft, numbered, and told once', async () => {
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

  test('only the module is required; the contact is then the house contact', async () => {
    for (const module of ['buy', 'sell', 'make', 'check', 'fix']) {
      const { status, body } = await create({ module });
      expect([status, body.data.contactId, body.data.lines]).toEqual([201, s.tenant.houseContactId, []]);
    }
  });

  test("dates default to today in the tenant's time zone and to the lead days after it", async () => {
    const { data } = (await create({ module: 'sell' })).body;
    const today = dayIn(s.tenant.timezone, s.clock.now());
    expect([data.orderDate, data.dueDate]).toEqual([today, addDays(today, 7)]);
    const dated = (await create({ module: 'sell', orderDate: '2026-02-27' })).body.data;
    expect(dated.dueDate).toBe('2026-03-06');
    expect((await create({ module: 'sell', orderDate: '9999-12-30' })).body.data.dueDate).toBe('9999-12-31');
  });

  test('on buy the longest lead time of the supplier for one of the items is added', async () => {
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
  ])('%s is refused, and nothing is stored', async (_what, body, path) => {
    const { reply, ...left } = await trace(s, () => create(body));
    expect([reply.status, codeOf(reply), fieldOf(reply)]).toEqual([400, 'VALIDATION_FAILED', path]);
    expect(left).toMatchObject(nothing);
  });

  test('the contact has the type that the module needs', async () => {
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
      expect([reply.status, fieldOf(reply)]).toEqual([400, '/contactId']);
    }
  });

  test('inactive contacts and sites, and deactivated users, are refused; invited users are not', async () => {
    const gone = await made(s.post('/v1/contacts', { name: 'Gone', isActive: false }));
    expect(codeOf(await create({ module: 'sell', contactId: gone }))).toBe('INACTIVE_REFERENCE');
    expect(codeOf(await create({ module: 'sell', siteId: await addSite(s, 'SHUT', false) }))).toBe('INACTIVE_REFERENCE');
    const left = await create({ module: 'sell', assignedTo: await addUser(s, 'left@example.com', 'deactivated') });
    expect([left.status, fieldOf(left)]).toEqual([400, '/assignedTo']);
    expect((await create({ module: 'sell', assignedTo: await addUser(s, 'new@example.com', 'invited') })).status).toBe(201);
  });

  test('a check order takes the contact of the order it checks; other modules have no source order, but fix', async () => {
    const source = await made(create(sale()));
    expect((await create({ module: 'check', sourceOrderId: source })).body.data).toMatchObject({
      contactId: w.customer,
      sourceOrderId: source,
    });
    expect((await create({ module: 'fix', sourceOrderId: source })).body.data.contactId).toBe(s.tenant.houseContactId);
    expect(fieldOf(await create({ module: 'sell', sourceOrderId: source }))).toBe('/sourceOrderId');
    const check = await made(create({ module: 'check' }));
    expect(fieldOf(await change(check, { sourceOrderId: check }))).toBe('/sourceOrderId');
  });
});

describe('numbers', () => {
  test('count per module without gaps, whatever is refused in between', async () => {
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

  test("have the tenant's own prefix", async () => {
    await using own = await startService();
    await own.service.store.transact(own.tenant.id, (tx) => tx.tenants.put({ ...own.tenant, numberPrefixes: { sell: 'INV/' } }));
    const numbers = [
      (await own.post('/v1/orders', { module: 'sell' })).body.data.orderNumber,
      (await own.post('/v1/orders', { module: 'buy' })).body.data.orderNumber,
    ];
    expect(numbers).toEqual(['INV/000001', 'PO-000001']);
  });

  test('an imported number is unique whatever its case, and skipped by the counter', async () => {
    await using own = await startService();
    const post = (body: object) => own.post('/v1/orders', body);
    const imported = await post({ module: 'sell', orderNumber: 'po-000002' });
    expect(imported.body.data.orderNumber).toBe('po-000002');
    const { reply, ...left } = await trace(own, () => post({ module: 'buy', orderNumber: 'PO-000002' }));
    expect([reply.status, codeOf(reply), reply.body.error.details]).toEqual([
      409,
      'DUPLICATE_VALUE',
      { field: 'orderNumber', value: 'PO-000002', existingId: imported.body.data.id },
    ]);
    expect(left).toMatchObject(nothing);
    const numbers = [];
    for (let i = 0; i < 2; i += 1) numbers.push((await post({ module: 'buy' })).body.data.orderNumber);
    expect(numbers).toEqual(['PO-000001', 'PO-000003']);
  });

  test('a replay answers the same number and counts nothing', async () => {
    const once = { idempotencyKey: 'order-once' };
    const first = await s.post('/v1/orders', { module: 'make' }, once);
    const { reply, ...left } = await trace(s, () => s.post('/v1/orders', { module: 'make' }, once));
    expect([reply.status, reply.text]).toEqual([201, first.text]);
    expect(left).toMatchObject(nothing);
    const next = (await create({ module: 'make' })).body.data.orderNumber as string;
    expect(Number(next.slice(3))).toBe(Number((first.body.data.orderNumber as string).slice(3)) + 1);
  });
});
