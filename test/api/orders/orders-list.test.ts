/** GET /v1/orders and GET /v1/orders/{id}. */
import { beforeAll, describe, expect, test } from 'vitest';
import { toJoi } from '../../../src/contract/schema/joi.ts';
import { listOrderLines } from '../../../src/contract/resources/order-lines.ts';
import { createOrder, getOrder, listOrders, updateOrder } from '../../../src/contract/resources/orders.ts';
import type { AnySchema } from '../../../src/contract/schema/builder.ts';
import { addDays, toCalendarDay } from '../../../src/domain/kernel/context.ts';
import { made, orderWorld } from '../../support/resources/order-world.ts';
import { stockUp } from '../../support/resources/stock.ts';
import { getCode, startService } from '../../support/service/service.ts';
import { useOrders } from '../../support/resources/orders.ts';

const { change, create, s, w } = useOrders();

beforeAll(async () => {
  // Enough for every order that is completed here.
  await stockUp(s, [{ itemId: w.bolt, quantity: 10_000, unitCost: 0.2 }]);
});

const sale = (more: object = {}) => ({ module: 'sell', contactId: w.customer, lines: [{ itemId: w.bolt, quantity: 10 }], ...more });

describe('reading orders', () => {
  test('GET /v1/orders/{id} returns exactly the fields of the contract', async () => {
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

  test('GET /v1/orders returns exactly the fields of the contract per row', async () => {
    await create(sale({ siteId: w.site }));
    const { body } = await s.get('/v1/orders?module=sell&page_size=1');
    const fields = 'id module orderNumber status contactId orderDate dueDate siteId priority assignedTo contact site createdAt updatedAt';
    expect(Object.keys(body.data[0]).sort()).toEqual(fields.split(' ').sort());
    expect(body.data[0]).toMatchObject({ contact: { id: w.customer, name: 'Café Baixa' }, site: { id: w.site, name: 'Site NORTH' } });
  });

  test('GET /v1/orders with include=totals adds total, currency, fulfilment and company', async () => {
    const { data } = (await create(sale())).body;
    const { body } = await s.get('/v1/orders?module=sell&page_size=1&include=totals');
    expect(toJoi(listOrders.result).validate(body, { convert: false }).error).toBeUndefined();
    const { id, total, currency, fulfilment } = data;
    expect(body.data[0]).toMatchObject({ id, total, currency, fulfilment, contact: data.contact });
    expect(data.contact).toEqual({ id: w.customer, name: 'Café Baixa', company: expect.any(String) });
  });

  test('GET /v1/orders with include=details,lines has the fields of a single order', async () => {
    const { data } = (await create(sale({ notes: 'Ring twice', reference: 'PO 7' }))).body;
    const { body } = await s.get(`/v1/orders?module=all&id=${data.id as string}&include=details,lines`);
    expect(toJoi(listOrders.result).validate(body, { convert: false }).error).toBeUndefined();
    expect(body.data).toEqual([data]);
    expect(data).toMatchObject({ notes: 'Ring twice', reference: 'PO 7', lines: [{}] });
  });

  test('GET /v1/orders with module=all lists every module', async () => {
    await create(sale());
    const counts = await Promise.all(
      ['buy', 'sell', 'make', 'check', 'fix', 'all'].map(
        async (module) => (await s.get(`/v1/orders?module=${module}`)).body.pagination.total,
      ),
    );
    expect(counts.at(-1)).toBe(counts.slice(0, -1).reduce((sum, count) => sum + count, 0));
    expect(counts.at(-1)).toBeGreaterThan(counts[1]);
  });

  test('GET /v1/orders/{id} includes lines only with include=lines', async () => {
    const { data } = (await create(sale())).body;
    const { lines, ...detail } = data;
    expect((await s.get(`/v1/orders/${data.id as string}`)).body.data).toEqual(detail);
    expect((await s.get(`/v1/orders/${data.id as string}?include=lines`)).body.data).toEqual({ ...detail, lines });
    expect((await s.get(`/v1/orders/${data.id as string}?include=contact`)).status).toBe(400);
  });

  test('GET /v1/orders requires a module and rejects unknown parameters', async () => {
    for (const query of [
      '',
      '?module=rent',
      '?module=sell&colour=red',
      '?module=sell&status=shipped',
      '?module=sell&sort=total',
      '?module=sell&page_size=201',
    ])
      expect([query, getCode(await s.get(`/v1/orders${query}`))]).toEqual([query, 'VALIDATION_FAILED']);
  });

  test('GET /v1/orders filters, searches and sorts', async () => {
    await using own = await startService();
    const v = await orderWorld(own);
    const today = toCalendarDay(own.tenant.timezone, own.clock.now());
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
