/** Changing the fields of an order. */
import { beforeAll, describe, expect, test } from 'vitest';
import { ORDER_STATUSES, type OrderStatus } from '../../src/contract/orders.ts';
import { made } from '../support/orders.ts';
import { stockUp } from '../support/stock.ts';
import { trace } from '../support/trace.ts';
import { type Reply, codeOf } from '../support/service.ts';
import { change, create, s, w } from '../support/ordering.ts';

beforeAll(async () => {
  // Enough for every order that is completed here.
  await stockUp(s, [{ itemId: w.bolt, quantity: 10_000, unitCost: 0.2 }]);
});

const sale = (more: object = {}) => ({ module: 'sell', contactId: w.customer, lines: [{ itemId: w.bolt, quantity: 10 }], ...more });
const fieldOf = (reply: Reply): string => reply.body.error.fields[0].path as string;
const nothing = { events: [], actions: [] };

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
