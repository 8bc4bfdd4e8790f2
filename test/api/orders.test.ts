import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toJoi } from '../../src/contract/joi.ts';
import { listOrderLines } from '../../src/contract/order-lines.ts';
import { ORDER_STATUSES, type OrderStatus, createOrder, getOrder, listOrders, updateOrder } from '../../src/contract/orders.ts';
import type { AnySchema } from '../../src/contract/schema.ts';
import { addDays, dayIn } from '../../src/domain/context.ts';
import { type OrderWorld, addSite, addUser, made, orderWorld } from '../support/orders.ts';
import { stockUp } from '../support/stock.ts';
import { trace } from '../support/trace.ts';
import { type Reply, type TestService, codeOf, startService } from '../support/service.ts';

let s: TestService;
let w: OrderWorld;
beforeAll(async () => {
  s = await startService();
  w = await orderWorld(s);
  // Enough for every order that is completed here.
  await stockUp(s, [{ itemId: w.bolt, quantity: 10_000, unitCost: 0.2 }]);
});
afterAll(async () => s[Symbol.asyncDispose]());

const sale = (more: object = {}) => ({ module: 'sell', contactId: w.customer, lines: [{ itemId: w.bolt, quantity: 10 }], ...more });
const create = (body: object) => s.post('/v1/orders', body);
const change = (id: string, body: object) => s.patch(`/v1/orders/${id}`, body);
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

describe('status', () => {
  const steps: Record<OrderStatus, readonly OrderStatus[]> = {
    draft: [],
    open: ['open'],
    in_progress: ['open', 'in_progress'],
    waiting: ['open', 'waiting'],
    completed: ['open', 'completed'],
    cancelled: ['cancelled'],
  };
  const allowed: Record<OrderStatus, readonly OrderStatus[]> = {
    draft: ['open', 'cancelled'],
    open: ['draft', 'in_progress', 'waiting', 'completed', 'cancelled'],
    in_progress: ['open', 'waiting', 'completed', 'cancelled'],
    waiting: ['open', 'in_progress', 'completed', 'cancelled'],
    completed: [],
    cancelled: [],
  };
  const orderIn = async (status: OrderStatus, body = sale()): Promise<string> => {
    const id = await made(create(body));
    for (const step of steps[status]) expect((await change(id, { status: step })).status).toBe(200);
    return id;
  };

  test.each(ORDER_STATUSES.flatMap((from) => ORDER_STATUSES.map((to) => [from, to] as const)))('%s to %s', async (from, to) => {
    const id = await orderIn(from);
    const before = (await s.get(`/v1/orders/${id}`)).text;
    const { reply, events, actions, bodies } = await trace(s, () => change(id, { status: to }));
    if (from === to) {
      expect([reply.status, events, actions]).toEqual([200, [], []]);
      expect((await s.get(`/v1/orders/${id}`)).text).toBe(before);
    } else if (allowed[from].includes(to)) {
      const posted = to === 'completed';
      expect([reply.status, reply.body.data.status]).toEqual([200, to]);
      expect(events.toSorted()).toEqual(['order.updated', ...(posted ? ['stock_document.created'] : [])]);
      const { data } = bodies.find(({ event }) => event === 'order.updated');
      expect(data).toMatchObject({ id, status: to, previousStatus: from });
      expect(data.changes).toContain('status');
      const own = actions.filter((action) => action.startsWith('order.'));
      expect(own).toEqual([posted || to === 'cancelled' ? `order.${to}` : 'order.status_changed']);
      const others = actions.filter((action) => !action.startsWith('order.'));
      expect(others).toEqual(posted ? ['stock_document.created', 'stock_document.approved'] : []);
    } else {
      expect([reply.status, codeOf(reply)]).toEqual([409, 'INVALID_TRANSITION']);
      expect(reply.body.error.details).toEqual({ from, to, allowed: allowed[from] });
      expect([events, actions]).toEqual([[], []]);
      expect((await s.get(`/v1/orders/${id}`)).text).toBe(before);
    }
  });

  test('an order without the lines its module needs does not open', async () => {
    const empty = await made(create({ module: 'sell', contactId: w.customer }));
    const refused = await change(empty, { status: 'open' });
    expect([codeOf(refused), refused.body.error.details]).toEqual([
      'INVALID_TRANSITION',
      { from: 'draft', to: 'open', allowed: ['cancelled'], missing: 'at least one line' },
    ]);
    const onlyOutput = await create({ module: 'make', status: 'open', lines: [{ itemId: w.bolt, quantity: 1 }] });
    expect([codeOf(onlyOutput), onlyOutput.body.error.details.missing]).toEqual(['INVALID_TRANSITION', 'at least one component line']);
    const both = [
      { itemId: w.bolt, quantity: 1 },
      { kind: 'component', itemId: w.coffee, quantity: 0.5 },
    ];
    expect((await create({ module: 'make', status: 'open', lines: both })).status).toBe(201);
    expect((await create({ module: 'check', status: 'open', lines: [{ itemId: w.bolt, quantity: 1 }] })).status).toBe(201);
    expect((await create({ module: 'fix', status: 'open', lines: [{ itemId: w.bolt, quantity: 1 }] })).status).toBe(201);
  });

  test('a sale or a purchase does not open with the own company as its contact', async () => {
    for (const module of ['buy', 'sell']) {
      const reply = await create({ module, status: 'open', lines: [{ itemId: w.bolt, quantity: 1 }] });
      expect([reply.status, fieldOf(reply)]).toEqual([400, '/contactId']);
    }
    const open = await orderIn('open');
    expect(fieldOf(await change(open, { contactId: s.tenant.houseContactId }))).toBe('/contactId');
  });

  test('an item or a contact that became inactive keeps a draft from opening, but not an open order from going on', async () => {
    const [item, contactId] = [await made(s.post('/v1/items', { name: 'Fading' })), await made(s.post('/v1/contacts', { name: 'Fading' }))];
    await stockUp(s, [{ itemId: item, quantity: 1 }]);
    const body = sale({ contactId, lines: [{ itemId: item, quantity: 1 }] });
    const [draft, open] = [await orderIn('draft', body), await orderIn('open', body)];
    await s.patch(`/v1/items/${item}`, { isActive: false });
    const refused = await change(draft, { status: 'open' });
    expect([codeOf(refused), refused.body.error.details]).toEqual(['INACTIVE_REFERENCE', { itemIds: [item] }]);
    await s.patch(`/v1/items/${item}`, { isActive: true });
    await s.patch(`/v1/contacts/${contactId}`, { isActive: false });
    expect(codeOf(await change(draft, { status: 'open' }))).toBe('INACTIVE_REFERENCE');
    expect((await change(open, { status: 'completed' })).status).toBe(200);
  });

  test('completing fulfils every line and says so', async () => {
    const id = await orderIn('in_progress');
    const { reply, audit } = await trace(s, () => change(id, { status: 'completed' }));
    expect(reply.body.data).toMatchObject({ fulfilment: 'full', closedShort: false, completedAt: reply.body.data.updatedAt });
    expect(reply.body.data.lines[0]).toMatchObject({ fulfilledQuantity: 10, remainingQuantity: 0 });
    expect(audit.find(({ action }) => action === 'order.completed')?.metadata['changes']).toMatchObject({
      status: { from: 'in_progress', to: 'completed' },
      fulfilment: { from: 'none', to: 'full' },
    });
  });

  test('completing without stock closes the order short', async () => {
    const id = await orderIn('open');
    const { data } = (await change(id, { status: 'completed', stock: 'none' })).body;
    expect(data).toMatchObject({ status: 'completed', fulfilment: 'none', closedShort: true });
    expect(data.lines[0]).toMatchObject({ fulfilledQuantity: 0, remainingQuantity: 10 });
  });

  test('lines and status change in one step, also when lines are added while completing', async () => {
    const id = await orderIn('open');
    const { reply, events, actions } = await trace(s, () =>
      change(id, { status: 'completed', notes: 'all at once', lines: [{ itemId: w.bolt, quantity: 4 }] }),
    );
    expect(reply.body.data.lines).toMatchObject([{ quantity: 4, fulfilledQuantity: 4 }]);
    expect(events.toSorted()).toEqual(['order.updated', 'stock_document.created']);
    expect(actions.filter((action) => action.startsWith('order.'))).toEqual(['order.updated', 'order.lines_replaced', 'order.completed']);
    expect((await s.get(`/v1/orders/${id}/lines`)).body.data).toEqual(reply.body.data.lines);
  });

  test('completing takes neither the lines nor the contact away that let the order open', async () => {
    const id = await orderIn('open');
    const before = (await s.get(`/v1/orders/${id}`)).text;
    const emptied = await change(id, { status: 'completed', lines: [] });
    expect([codeOf(emptied), emptied.body.error.details]).toEqual([
      'FIELD_LOCKED',
      { fields: ['lines'], status: 'open', missing: 'at least one line' },
    ]);
    const given = await change(id, { status: 'completed', contactId: s.tenant.houseContactId });
    expect([given.status, fieldOf(given)]).toEqual([400, '/contactId']);
    expect((await s.get(`/v1/orders/${id}`)).text).toBe(before);
  });

  test('a reason goes with cancelling and with nothing else', async () => {
    const id = await orderIn('open');
    expect(fieldOf(await change(id, { cancelReason: 'why' }))).toBe('/cancelReason');
    expect(fieldOf(await change(id, { stock: 'none' }))).toBe('/stock');
    const { data } = (await change(id, { status: 'cancelled', cancelReason: 'Changed their mind' })).body;
    expect(data).toMatchObject({ status: 'cancelled', cancelReason: 'Changed their mind', cancelledAt: data.updatedAt });
    expect(codeOf(await change(id, { status: 'cancelled', cancelReason: 'other' }))).toBe('FIELD_LOCKED');
    const again = await change(id, { status: 'cancelled', cancelReason: 'Changed their mind' });
    expect(again.body.data.updatedAt).toBe(data.updatedAt);
  });

  test('what is fulfilled already forbids cancelling and going back, and completing posts the rest', async () => {
    const id = await orderIn(
      'in_progress',
      sale({
        lines: [
          { itemId: w.bolt, quantity: 10 },
          { itemId: w.coffee, quantity: 2 },
        ],
      }),
    );
    await fulfil(id, 3_000_000);
    for (const status of ['open', 'cancelled']) {
      const reply = await change(id, { status });
      expect([reply.status, codeOf(reply)]).toEqual([409, 'ORDER_HAS_POSTED_STOCK']);
    }
    const { lines } = (await s.get(`/v1/orders/${id}?include=lines`)).body.data;
    const fewer = await change(id, { lines: [{ id: lines[0].id, quantity: 2 }, { id: lines[1].id }] });
    expect([codeOf(fewer), fewer.body.error.details.fields]).toEqual(['FIELD_LOCKED', ['lines.0.quantity']]);
    expect(codeOf(await change(id, { lines: [{ id: lines[1].id }] }))).toBe('FIELD_LOCKED');
    const other = await change(id, { lines: [{ id: lines[0].id, itemId: w.coffee }, { id: lines[1].id }] });
    expect(other.body.error.details.fields).toContain('lines.0.itemId');
    expect((await change(id, { lines: [{ id: lines[0].id, quantity: 3 }] })).body.data.fulfilment).toBe('full');
  });

  /** Stock documents will do this; until then the record is written as they will write it. */
  const fulfil = (orderId: string, micro: number) =>
    s.service.store.transact(s.tenant.id, async (tx) => {
      const order = await tx.orders.get(orderId);
      const [line] = (await tx.orderLines.after({ where: [{ field: 'orderId', equals: orderId }], limit: 1 })).rows;
      if (!order || !line) throw new Error('no order');
      await tx.orders.put({ ...order, fulfilment: 'partial' });
      await tx.orderLines.put({ ...line, fulfilledQuantity: micro });
    });
});

describe('changing', () => {
  const locked: Record<OrderStatus, readonly string[]> = {
    draft: [],
    open: [],
    in_progress: ['contactId', 'siteId', 'orderDate'],
    waiting: ['contactId', 'siteId', 'orderDate'],
    completed: ['contactId', 'siteId', 'orderDate', 'dueDate', 'priority', 'assignedTo', 'lines'],
    cancelled: ['contactId', 'siteId', 'orderDate', 'dueDate', 'priority', 'assignedTo', 'lines', 'reference'],
  };
  test.each(ORDER_STATUSES)('in status %s exactly the fields of D-5 are locked', async (status) => {
    const id = await made(create(sale({ orderDate: '2026-05-01', dueDate: '2026-05-20' })));
    for (const step of status === 'draft' ? [] : status === 'open' ? ['open'] : ['open', status]) await change(id, { status: step });
    const other = await made(s.post('/v1/contacts', { name: 'Other' }));
    const values = {
      contactId: other,
      siteId: w.site,
      orderDate: '2026-05-02',
      dueDate: '2026-05-21',
      priority: 'urgent',
      assignedTo: w.user,
      lines: [{ itemId: w.coffee, quantity: 1 }],
      reference: 'changed',
      notes: 'changed',
    };
    for (const [field, value] of Object.entries(values)) {
      const { reply, ...left } = await trace(s, () => change(id, { [field]: value }));
      if (locked[status].includes(field)) {
        expect([field, reply.status, codeOf(reply), reply.body.error.details]).toEqual([
          field,
          409,
          'FIELD_LOCKED',
          { fields: [field], status },
        ]);
        expect(left).toMatchObject(nothing);
      } else {
        expect([field, reply.status, left.events]).toEqual([field, 200, ['order.updated']]);
        expect(left.actions).toEqual([field === 'lines' ? 'order.lines_replaced' : 'order.updated']);
        expect(left.bodies[0].data.changes[0]).toBe(field);
      }
    }
    const many = await change(id, { contactId: s.tenant.houseContactId, dueDate: '2026-06-01', notes: 'x' });
    const fields = ['contactId', 'dueDate'].filter((field) => locked[status].includes(field));
    if (locked[status].length > 0) expect(many.body.error.details.fields).toEqual(fields);
  });

  test('a field left out stays, null clears, and writing what is there changes nothing', async () => {
    const body = sale({
      siteId: w.site,
      assignedTo: w.user,
      notes: 'n',
      reference: 'r',
      priority: 'high',
      orderDate: '2026-05-01',
      dueDate: '2026-05-09',
    });
    const { data: before } = (await create(body)).body;
    for (const same of [
      {},
      { ...body, module: undefined, lines: before.lines.map((line: { id: string }) => ({ id: line.id })) },
      { status: 'draft' },
    ]) {
      const { reply, ...left } = await trace(s, () => change(before.id, same));
      expect(reply.body.data).toEqual(before);
      expect(left).toMatchObject(nothing);
    }
    const { data: cleared } = (await change(before.id, { siteId: null, assignedTo: null, notes: null, reference: ' ' })).body;
    const { updatedAt: _, ...rest } = before;
    expect(cleared).toMatchObject({ ...rest, siteId: null, site: null, assignedTo: null, notes: null, reference: null });
    expect(cleared.updatedAt > before.updatedAt).toBe(true);
  });

  test('a date that would leave the other behind is refused', async () => {
    const id = await made(create(sale({ orderDate: '2026-05-01', dueDate: '2026-05-09' })));
    expect(fieldOf(await change(id, { orderDate: '2026-05-10' }))).toBe('/orderDate');
    expect(fieldOf(await change(id, { dueDate: '2026-04-30' }))).toBe('/dueDate');
    expect((await change(id, { orderDate: '2026-05-10', dueDate: '2026-05-10' })).status).toBe(200);
  });

  test('module and number never change', async () => {
    const id = await made(create(sale()));
    for (const field of ['module', 'orderNumber', 'total']) {
      const reply = await change(id, { [field]: 'buy' });
      expect([reply.status, reply.body.error.fields[0].code]).toEqual([400, 'unknown_field']);
    }
  });

  test('a stale If-Match is refused, the present one accepted', async () => {
    const { data } = (await create(sale())).body;
    const stale = `"${data.updatedAt as string}"`;
    const first = await s.patch(`/v1/orders/${data.id as string}`, { notes: 'a' }, { headers: { 'if-match': stale } });
    expect(first.status).toBe(200);
    const { reply, ...left } = await trace(s, () =>
      s.patch(`/v1/orders/${data.id as string}`, { notes: 'b' }, { headers: { 'if-match': stale } }),
    );
    expect([reply.status, codeOf(reply)]).toEqual([412, 'PRECONDITION_FAILED']);
    expect(left).toMatchObject(nothing);
    const second = await s.patch(
      `/v1/orders/${data.id as string}`,
      { notes: 'b' },
      { headers: { 'if-match': first.headers['etag'] as string } },
    );
    expect(second.body.data.notes).toBe('b');
  });

  test('the order of another tenant is absent', async () => {
    const id = await made(create(sale()));
    const key = await s.addKey({ tenantId: (await s.addTenant('other')).id });
    const replies = [
      await s.get(`/v1/orders/${id}`, { key }),
      await s.get(`/v1/orders/${id}/lines`, { key }),
      await s.patch(`/v1/orders/${id}`, { notes: 'x' }, { key }),
      await s.get('/v1/orders/not-an-id'),
    ];
    expect(replies.map(codeOf)).toEqual(['NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND']);
    const foreign = await s.post('/v1/orders', sale(), { key });
    expect([foreign.status, fieldOf(foreign)]).toEqual([400, '/contactId']);
    expect((await s.get('/v1/orders?module=sell', { key })).body.data).toEqual([]);
  });
});

describe('reading', () => {
  test('every reply has exactly the fields that the contract states', async () => {
    const kinds = {
      buy: [{ itemId: w.bolt, quantity: 1 }],
      sell: [{ itemId: w.bolt, quantity: 1 }],
      make: [
        { itemId: w.bolt, quantity: 1 },
        { kind: 'component', itemId: w.coffee, quantity: 1 },
      ],
      check: [{ itemId: w.bolt, quantity: 1 }],
      fix: [
        { itemId: w.bolt, quantity: 1 },
        { kind: 'service', description: 'Labour', quantity: 1 },
      ],
    };
    const check = (op: { readonly result: AnySchema }, body: unknown) =>
      expect(toJoi(op.result).validate(body, { convert: false }).error).toBeUndefined();
    for (const [module, lines] of Object.entries(kinds)) {
      const created = await create({ module, lines, siteId: w.site, assignedTo: w.user });
      const id = created.body.data.id as string;
      check(createOrder, created.body);
      check(updateOrder, (await change(id, { status: 'cancelled', cancelReason: 'why' })).body);
      check(getOrder, (await s.get(`/v1/orders/${id}`)).body);
      check(listOrderLines, (await s.get(`/v1/orders/${id}/lines`)).body);
      check(listOrders, (await s.get(`/v1/orders?module=${module}`)).body);
    }
  });

  test('a list row has exactly the fields of the contract', async () => {
    await create(sale({ siteId: w.site }));
    const { body } = await s.get('/v1/orders?module=sell&page_size=1');
    const fields = 'id module orderNumber status contactId orderDate dueDate siteId priority assignedTo contact site createdAt updatedAt';
    expect(Object.keys(body.data[0]).sort()).toEqual(fields.split(' ').sort());
    expect(body.data[0]).toMatchObject({ contact: { id: w.customer, name: 'Café Baixa' }, site: { id: w.site, name: 'Site NORTH' } });
  });

  test('a single order has its lines only when asked', async () => {
    const { data } = (await create(sale())).body;
    const { lines, ...detail } = data;
    expect((await s.get(`/v1/orders/${data.id as string}`)).body.data).toEqual(detail);
    expect((await s.get(`/v1/orders/${data.id as string}?include=lines`)).body.data).toEqual({ ...detail, lines });
    expect((await s.get(`/v1/orders/${data.id as string}?include=contact`)).status).toBe(400);
  });

  test('the list needs a module and refuses what it does not know', async () => {
    for (const query of [
      '',
      '?module=rent',
      '?module=sell&colour=red',
      '?module=sell&status=shipped',
      '?module=sell&sort=total',
      '?module=sell&page_size=201',
    ])
      expect([query, codeOf(await s.get(`/v1/orders${query}`))]).toEqual([query, 'VALIDATION_FAILED']);
  });

  test('filters, search and order', async () => {
    await using own = await startService();
    const v = await orderWorld(own);
    const today = dayIn(own.tenant.timezone, own.clock.now());
    const order = async (body: object) =>
      (await own.post('/v1/orders', { module: 'sell', contactId: v.customer, ...body })).body.data.orderNumber as string;
    const other = await made(own.post('/v1/contacts', { name: 'Zoë Öman', company: 'Baixa Lda', contactType: 'both' }));
    const line = (itemId: string) => ({ lines: [{ itemId, quantity: 1 }] });
    const a = await order({
      ...line(v.bolt),
      status: 'open',
      orderDate: '2026-01-01',
      dueDate: addDays(today, -1),
      priority: 'low',
      reference: 'Spring fair',
    });
    const b = await order({ ...line(v.coffee), status: 'open', dueDate: today, priority: 'urgent', siteId: v.site });
    const c = await order({ orderDate: '2026-01-01', dueDate: addDays(today, -1), priority: 'high', assignedTo: v.user, contactId: other });
    const d = await order({
      lines: [
        { itemId: v.bolt, quantity: 1 },
        { itemId: v.coffee, quantity: 1 },
      ],
      dueDate: addDays(today, 30),
      orderNumber: 'so-import',
    });
    await order({ module: 'buy', contactId: v.supplier });
    const list = async (query: string) =>
      (await own.get(`/v1/orders?module=sell&${query}`)).body.data.map((each: { orderNumber: string }) => each.orderNumber) as string[];
    expect(await list('')).toEqual([d, c, b, a]);
    expect(await list('sort=created_at')).toEqual([a, b, c, d]);
    expect(await list('sort=order_number')).toEqual([a, b, c, d]);
    expect(await list('sort=due_date')).toEqual([a, c, b, d]);
    expect(await list('sort=-priority')).toEqual([b, c, d, a]);
    expect(await list('status=open')).toEqual([b, a]);
    expect(await list('status=open,draft')).toEqual([d, c, b, a]);
    expect(await list(`contact_id=${other}`)).toEqual([c]);
    expect(await list(`site_id=${v.site}`)).toEqual([b]);
    expect(await list(`assigned_to=${v.user}`)).toEqual([c]);
    expect(await list('priority=low,high')).toEqual([c, a]);
    expect(await list(`item_id=${v.coffee}`)).toEqual([d, b]);
    expect(await list(`item_id=${v.coffee},${v.bolt}`)).toEqual([d, b, a]);
    expect(await list(`due_before=${today}`)).toEqual([c, a]);
    expect(await list(`due_after=${today}`)).toEqual([d]);
    expect(await list('overdue=true')).toEqual([a]);
    expect(await list('overdue=false')).toEqual([d, c, b]);
    expect(await list('search=spring')).toEqual([a]);
    expect(await list('search=IMPORT')).toEqual([d]);
    expect(await list('search=%C3%B6man')).toEqual([c]);
    expect(await list('search=lda')).toEqual([]);
    expect(await list('search=caf%C3%A9&status=draft')).toEqual([d]);
    expect(await list('search=so-')).toEqual([d, c, b, a]);
    const { body } = await own.get('/v1/orders?module=sell&page=2&page_size=3');
    expect([body.data.length, body.pagination]).toEqual([1, { page: 2, pageSize: 3, total: 4, totalPages: 2 }]);
    expect((await own.get('/v1/orders?module=fix')).body.data).toEqual([]);
  });
});
