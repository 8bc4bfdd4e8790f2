/** PATCH /v1/orders/{id}. */
import { beforeAll, describe, expect, test } from 'vitest';
import { ORDER_STATUSES, type OrderStatus } from '../../../src/contract/resources/orders.ts';
import { made } from '../../support/resources/order-world.ts';
import { stockUp } from '../../support/resources/stock.ts';
import { trace } from '../../support/service/call-trace.ts';
import { type Reply, getCode } from '../../support/service/service.ts';
import { useOrders } from '../../support/resources/orders.ts';

const { change, create, s, w } = useOrders();

beforeAll(async () => {
  // Enough for every order that is completed here.
  await stockUp(s, [{ itemId: w.bolt, quantity: 10_000, unitCost: 0.2 }]);
});

const sale = (more: object = {}) => ({ module: 'sell', contactId: w.customer, lines: [{ itemId: w.bolt, quantity: 10 }], ...more });
const getField = (reply: Reply): string => reply.body.error.fields[0].path as string;
const nothing = { events: [], actions: [] };

describe('PATCH /v1/orders/{id}', () => {
  const locked: Record<OrderStatus, readonly string[]> = {
    draft: [],
    open: [],
    in_progress: ['contactId', 'siteId', 'orderDate'],
    waiting: ['contactId', 'siteId', 'orderDate'],
    completed: ['contactId', 'siteId', 'orderDate', 'dueDate', 'priority', 'assignedTo', 'lines'],
    cancelled: ['contactId', 'siteId', 'orderDate', 'dueDate', 'priority', 'assignedTo', 'lines', 'reference'],
  };
  test.each(ORDER_STATUSES)('locks exactly the fields of D-5 in status %s', async (status) => {
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
        expect([field, reply.status, getCode(reply), reply.body.error.details]).toEqual([
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

  test('keeps omitted fields, clears with null, and changes nothing for current values', async () => {
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

  test('rejects a due date before the order date', async () => {
    const id = await made(create(sale({ orderDate: '2026-05-01', dueDate: '2026-05-09' })));
    expect(getField(await change(id, { orderDate: '2026-05-10' }))).toBe('/orderDate');
    expect(getField(await change(id, { dueDate: '2026-04-30' }))).toBe('/dueDate');
    expect((await change(id, { orderDate: '2026-05-10', dueDate: '2026-05-10' })).status).toBe(200);
  });

  test('rejects changes of module and number', async () => {
    const id = await made(create(sale()));
    for (const field of ['module', 'orderNumber', 'total']) {
      const reply = await change(id, { [field]: 'buy' });
      expect([reply.status, reply.body.error.fields[0].code]).toEqual([400, 'unknown_field']);
    }
  });

  test('answers 412 for an outdated If-Match and accepts the current version', async () => {
    const { data } = (await create(sale())).body;
    const stale = `"${data.updatedAt as string}"`;
    const first = await s.patch(`/v1/orders/${data.id as string}`, { notes: 'a' }, { headers: { 'if-match': stale } });
    expect(first.status).toBe(200);
    const { reply, ...left } = await trace(s, () =>
      s.patch(`/v1/orders/${data.id as string}`, { notes: 'b' }, { headers: { 'if-match': stale } }),
    );
    expect([reply.status, getCode(reply)]).toEqual([412, 'PRECONDITION_FAILED']);
    expect(left).toMatchObject(nothing);
    const second = await s.patch(
      `/v1/orders/${data.id as string}`,
      { notes: 'b' },
      { headers: { 'if-match': first.headers['etag'] as string } },
    );
    expect(second.body.data.notes).toBe('b');
  });

  test('answers 404 for an order of another tenant', async () => {
    const id = await made(create(sale()));
    const key = await s.addKey({ tenantId: (await s.addTenant('other')).id });
    const replies = [
      await s.get(`/v1/orders/${id}`, { key }),
      await s.get(`/v1/orders/${id}/lines`, { key }),
      await s.patch(`/v1/orders/${id}`, { notes: 'x' }, { key }),
      await s.get('/v1/orders/not-an-id'),
    ];
    expect(replies.map(getCode)).toEqual(['NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND']);
    const foreign = await s.post('/v1/orders', sale(), { key });
    expect([foreign.status, getField(foreign)]).toEqual([400, '/contactId']);
    expect((await s.get('/v1/orders?module=sell', { key })).body.data).toEqual([]);
  });
});
