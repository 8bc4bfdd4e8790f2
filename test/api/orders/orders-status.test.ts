/** Order status transitions: requirements, effects and rejections. */
import { beforeAll, describe, expect, test } from 'vitest';
import { ORDER_STATUSES, type OrderStatus } from '../../../src/contract/resources/orders.ts';
import { WALK } from '../../support/order-model/model.ts';
import { made } from '../../support/resources/order-world.ts';
import { postDocument, stockUp } from '../../support/resources/stock.ts';
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

describe('order status', () => {
  const steps: Record<OrderStatus, readonly OrderStatus[]> = {
    draft: [],
    open: ['open'],
    in_progress: ['open', 'in_progress'],
    waiting: ['open', 'waiting'],
    completed: ['open', 'completed'],
    cancelled: ['cancelled'],
  };
  const orderIn = async (status: OrderStatus, body = sale()): Promise<string> => {
    const id = await made(create(body));
    for (const step of steps[status]) expect((await change(id, { status: step })).status).toBe(200);
    return id;
  };

  test.each(ORDER_STATUSES.flatMap((from) => ORDER_STATUSES.map((to) => [from, to] as const)))(
    'transition from %s to %s',
    async (from, to) => {
      const id = await orderIn(from);
      const before = (await s.get(`/v1/orders/${id}`)).text;
      const { reply, events, actions, bodies } = await trace(s, () => change(id, { status: to }));
      if (from === to) {
        expect([reply.status, events, actions]).toEqual([200, [], []]);
        expect((await s.get(`/v1/orders/${id}`)).text).toBe(before);
      } else if (WALK[from].includes(to)) {
        const posted = to === 'completed';
        expect([reply.status, reply.body.data.status]).toEqual([200, to]);
        expect(events.toSorted()).toEqual(['order.updated', ...(posted ? ['stock_document.created', 'stock_document.updated'] : [])]);
        const { data } = bodies.find(({ event }) => event === 'order.updated');
        expect(data).toMatchObject({ id, status: to, previousStatus: from });
        expect(data.changes).toContain('status');
        const own = actions.filter((action) => action.startsWith('order.'));
        expect(own).toEqual([posted || to === 'cancelled' ? `order.${to}` : 'order.status_changed']);
        const others = actions.filter((action) => !action.startsWith('order.'));
        expect(others).toEqual(posted ? ['stock_document.created', 'stock_document.approved'] : []);
      } else {
        expect([reply.status, getCode(reply)]).toEqual([409, 'INVALID_TRANSITION']);
        expect(reply.body.error.details).toEqual({ from, to, allowed: WALK[from] });
        expect([events, actions]).toEqual([[], []]);
        expect((await s.get(`/v1/orders/${id}`)).text).toBe(before);
      }
    },
  );

  test('opening is rejected without the lines that the module needs', async () => {
    const empty = await made(create({ module: 'sell', contactId: w.customer }));
    const refused = await change(empty, { status: 'open' });
    expect([getCode(refused), refused.body.error.details]).toEqual([
      'INVALID_TRANSITION',
      { from: 'draft', to: 'open', allowed: ['cancelled'], missing: 'at least one line' },
    ]);
    const onlyOutput = await create({ module: 'make', status: 'open', lines: [{ itemId: w.bolt, quantity: 1 }] });
    expect([getCode(onlyOutput), onlyOutput.body.error.details.missing]).toEqual(['INVALID_TRANSITION', 'at least one component line']);
    const both = [
      { itemId: w.bolt, quantity: 1 },
      { kind: 'component', itemId: w.coffee, quantity: 0.5 },
    ];
    expect((await create({ module: 'make', status: 'open', lines: both })).status).toBe(201);
    expect((await create({ module: 'check', status: 'open', lines: [{ itemId: w.bolt, quantity: 1 }] })).status).toBe(201);
    expect((await create({ module: 'fix', status: 'open', lines: [{ itemId: w.bolt, quantity: 1 }] })).status).toBe(201);
  });

  test('opening a sell or buy order is rejected with the house contact', async () => {
    for (const module of ['buy', 'sell']) {
      const reply = await create({ module, status: 'open', lines: [{ itemId: w.bolt, quantity: 1 }] });
      expect([reply.status, getField(reply)]).toEqual([400, '/contactId']);
    }
    const open = await orderIn('open');
    expect(getField(await change(open, { contactId: s.tenant.houseContactId }))).toBe('/contactId');
  });

  test('an inactive item or contact blocks opening a draft, but not later transitions', async () => {
    const [item, contactId] = [await made(s.post('/v1/items', { name: 'Fading' })), await made(s.post('/v1/contacts', { name: 'Fading' }))];
    await stockUp(s, [{ itemId: item, quantity: 1 }]);
    const body = sale({ contactId, lines: [{ itemId: item, quantity: 1 }] });
    const [draft, open] = [await orderIn('draft', body), await orderIn('open', body)];
    await s.patch(`/v1/items/${item}`, { isActive: false });
    const refused = await change(draft, { status: 'open' });
    expect([getCode(refused), refused.body.error.details]).toEqual(['INACTIVE_REFERENCE', { itemIds: [item] }]);
    await s.patch(`/v1/items/${item}`, { isActive: true });
    await s.patch(`/v1/contacts/${contactId}`, { isActive: false });
    expect(getCode(await change(draft, { status: 'open' }))).toBe('INACTIVE_REFERENCE');
    expect((await change(open, { status: 'completed' })).status).toBe(200);
  });

  test('completing fulfils every line', async () => {
    const id = await orderIn('in_progress');
    const { reply, audit } = await trace(s, () => change(id, { status: 'completed' }));
    expect(reply.body.data).toMatchObject({ fulfilment: 'full', closedShort: false, completedAt: reply.body.data.updatedAt });
    expect(reply.body.data.lines[0]).toMatchObject({ fulfilledQuantity: 10, remainingQuantity: 0 });
    expect(audit.find(({ action }) => action === 'order.completed')?.metadata['changes']).toMatchObject({
      status: { from: 'in_progress', to: 'completed' },
      fulfilment: { from: 'none', to: 'full' },
    });
  });

  test('completing with stock none closes the order short', async () => {
    const id = await orderIn('open');
    const { data } = (await change(id, { status: 'completed', stock: 'none' })).body;
    expect(data).toMatchObject({ status: 'completed', fulfilment: 'none', closedShort: true });
    expect(data.lines[0]).toMatchObject({ fulfilledQuantity: 0, remainingQuantity: 10 });
  });

  test('lines and status change in one request, including lines added while completing', async () => {
    const id = await orderIn('open');
    const { reply, events, actions } = await trace(s, () =>
      change(id, { status: 'completed', notes: 'all at once', lines: [{ itemId: w.bolt, quantity: 4 }] }),
    );
    expect(reply.body.data.lines).toMatchObject([{ quantity: 4, fulfilledQuantity: 4 }]);
    expect(events.toSorted()).toEqual(['order.updated', 'stock_document.created', 'stock_document.updated']);
    expect(actions.filter((action) => action.startsWith('order.'))).toEqual(['order.updated', 'order.lines_replaced', 'order.completed']);
    expect((await s.get(`/v1/orders/${id}/lines`)).body.data).toEqual(reply.body.data.lines);
  });

  test('completing cannot remove the lines or the contact that opening requires', async () => {
    const id = await orderIn('open');
    const before = (await s.get(`/v1/orders/${id}`)).text;
    const emptied = await change(id, { status: 'completed', lines: [] });
    expect([getCode(emptied), emptied.body.error.details]).toEqual([
      'FIELD_LOCKED',
      { fields: ['lines'], status: 'open', missing: 'at least one line' },
    ]);
    const given = await change(id, { status: 'completed', contactId: s.tenant.houseContactId });
    expect([given.status, getField(given)]).toEqual([400, '/contactId']);
    expect((await s.get(`/v1/orders/${id}`)).text).toBe(before);
  });

  test('cancelReason is accepted only when cancelling', async () => {
    const id = await orderIn('open');
    for (const field of ['cancelReason', 'stock']) {
      const status = field === 'stock' ? 'completed' : 'cancelled';
      expect((await change(id, { [field]: 'none' })).body.error).toMatchObject({
        message: `${field} is allowed only when status changes to ${status}.`,
        fields: [{ path: `/${field}`, code: 'not_allowed' }],
      });
    }
    const { data } = (await change(id, { status: 'cancelled', cancelReason: 'Changed their mind' })).body;
    expect(data).toMatchObject({ status: 'cancelled', cancelReason: 'Changed their mind', cancelledAt: data.updatedAt });
    expect((await change(id, { status: 'cancelled', cancelReason: 'other' })).body.error).toMatchObject({
      code: 'FIELD_LOCKED',
      message: `cancelReason can no longer change: ${String(data.orderNumber)} is cancelled.`,
      details: { fields: ['cancelReason'], status: 'cancelled' },
    });
    const again = await change(id, { status: 'cancelled', cancelReason: 'Changed their mind' });
    expect(again.body.data.updatedAt).toBe(data.updatedAt);
  });

  test('posted stock blocks cancelling and reverting, and completing posts the rest', async () => {
    const id = await orderIn(
      'in_progress',
      sale({
        lines: [
          { itemId: w.bolt, quantity: 10 },
          { itemId: w.coffee, quantity: 2 },
        ],
      }),
    );
    await deliver(id, 3);
    for (const status of ['open', 'cancelled']) {
      const reply = await change(id, { status });
      expect([reply.status, getCode(reply)]).toEqual([409, 'ORDER_HAS_POSTED_STOCK']);
    }
    const { lines } = (await s.get(`/v1/orders/${id}?include=lines`)).body.data;
    const fewer = await change(id, { lines: [{ id: lines[0].id, quantity: 2 }, { id: lines[1].id }] });
    expect([getCode(fewer), fewer.body.error.details.fields]).toEqual(['FIELD_LOCKED', ['lines.0.quantity']]);
    expect(getCode(await change(id, { lines: [{ id: lines[1].id }] }))).toBe('FIELD_LOCKED');
    const other = await change(id, { lines: [{ id: lines[0].id, itemId: w.coffee }, { id: lines[1].id }] });
    expect(other.body.error.details.fields).toContain('lines.0.itemId');
    expect((await change(id, { lines: [{ id: lines[0].id, quantity: 3 }] })).body.data.fulfilment).toBe('full');
  });

  /** Delivers a part of the first line. */
  const deliver = async (orderId: string, quantity: number): Promise<void> => {
    const [line] = (await s.get(`/v1/orders/${orderId}?include=lines`)).body.data.lines;
    await postDocument(s, { type: 'issue', orderId, lines: [{ itemId: line.itemId, orderLineId: line.id, quantity }] });
  };
});
