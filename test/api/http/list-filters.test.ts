/** Filters of lists by several values and by periods, and rows with what a copy of the orders needs. */
import { beforeAll, expect, test } from 'vitest';
import { type OrderWorld, made, orderWorld } from '../../support/resources/order-world.ts';
import { useService } from '../../support/service/shared-service.ts';

const s = useService();
let w: OrderWorld;
beforeAll(async () => {
  w = await orderWorld(s);
});

interface Row {
  readonly id: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

const list = async (path: string, query: Record<string, string>): Promise<readonly Row[]> => {
  const reply = await s.get(`${path}?${new URLSearchParams({ page_size: '200', ...query }).toString()}`);
  expect(reply.status, reply.text).toBe(200);
  return reply.body.data as Row[];
};
const listIds = async (path: string, query: Record<string, string>) => (await list(path, query)).map(({ id }) => id).toSorted();

test('updated_until and created_until exclude their instant, so that adjacent periods share no row', async () => {
  for (const path of ['/v1/items', '/v1/contacts']) {
    const rows = await list(path, {});
    for (const [name, field] of [
      ['updated', 'updatedAt'],
      ['created', 'createdAt'],
    ] as const) {
      const middle = rows.map((row) => row[field]).toSorted()[Math.floor(rows.length / 2)]!;
      const before = await listIds(path, { [`${name}_until`]: middle });
      const after = await listIds(path, { [`${name}_since`]: middle });
      expect(before).toEqual(
        rows
          .filter((row) => row[field] < middle)
          .map(({ id }) => id)
          .toSorted(),
      );
      expect([...before, ...after].toSorted()).toEqual(rows.map(({ id }) => id).toSorted());
    }
  }
});

test('lists are filtered by several ids, SKUs and numbers, ignoring case, also by a value that contains a comma', async () => {
  const comma = await made(s.post('/v1/items', { name: 'Odd', sku: 'A,B' }));
  expect(await listIds('/v1/items', { id: `${w.bolt},${w.coffee}` })).toEqual([w.bolt, w.coffee].toSorted());
  expect(await listIds('/v1/items', { sku: 'bolt,COFFEE,NONE' })).toEqual([w.bolt, w.coffee].toSorted());
  expect(await listIds('/v1/items', { sku: 'a,b' })).toEqual([comma]);
  expect(await listIds('/v1/contacts', { id: w.customer })).toEqual([w.customer]);
  const lines = [{ itemId: w.bolt, quantity: 1 }];
  const order = async () => (await s.post('/v1/orders', { module: 'sell', contactId: w.customer, lines })).body.data;
  const [one, two] = [await order(), await order()];
  await order();
  expect(
    await listIds('/v1/orders', { module: 'sell', order_number: `${String(one.orderNumber).toLowerCase()},${String(two.orderNumber)}` }),
  ).toEqual([String(one.id), String(two.id)].toSorted());
  const document = (await s.post('/v1/stock-documents', { type: 'receipt', lines })).body.data;
  await s.post('/v1/stock-documents', { type: 'receipt', lines });
  expect(await listIds('/v1/stock-documents', { document_number: document.documentNumber })).toEqual([document.id]);
  expect(await listIds('/v1/stock-documents', { id: document.id })).toEqual([document.id]);
});

test('items are filtered by their ingredients', async () => {
  const recipe = async (name: string, ...ingredients: string[]) => {
    const id = await made(s.post('/v1/items', { name, itemType: 'combo' }));
    for (const ingredientItemId of ingredients) await made(s.post(`/v1/items/${id}/ingredients`, { ingredientItemId, quantity: 1 }));
    return id;
  };
  const [nut, tea] = [await made(s.post('/v1/items', { name: 'Nut' })), await made(s.post('/v1/items', { name: 'Tea' }))];
  const [pack, box] = [await recipe('Pack', nut, tea), await recipe('Box', tea)];
  await recipe('Empty');
  expect(await listIds('/v1/items', { ingredient_id: nut })).toEqual([pack]);
  expect(await listIds('/v1/items', { ingredient_id: `${nut},${tea}` })).toEqual([pack, box].toSorted());
  expect(await listIds('/v1/items', { ingredient_id: tea, id: box })).toEqual([box]);
  expect(await listIds('/v1/items', { ingredient_id: pack })).toEqual([]);
});

test('orders and documents are filtered by when they were completed and approved', async () => {
  const lines = [{ itemId: w.bolt, quantity: 1 }];
  const times: string[] = [];
  const orders: string[] = [];
  const documents: string[] = [];
  for (let at = 0; at < 3; at += 1) {
    const document = await made(s.post('/v1/stock-documents', { type: 'receipt', lines }));
    await s.post(`/v1/stock-documents/${document}/submit`, {});
    documents.push(document);
    const order = await made(s.post('/v1/orders', { module: 'buy', contactId: w.supplier, status: 'open', lines }));
    orders.push(order);
    s.clock.advance(1);
    times.push(s.clock.now().toISOString());
    await s.post(`/v1/stock-documents/${document}/approve`, {});
    await s.patch(`/v1/orders/${order}`, { status: 'completed' });
    s.clock.advance(1);
  }
  // A later change moves neither time.
  await s.patch(`/v1/orders/${orders[0]!}`, { notes: 'late' });
  await s.post(`/v1/stock-documents/${documents[0]!}/cancel`, { reason: 'wrong' });
  const [first, second, third] = times as [string, string, string];
  const getOrders = (query: Record<string, string>) => listIds('/v1/orders', { module: 'buy', ...query });
  expect(await getOrders({ completed_since: first, completed_until: third })).toEqual(orders.slice(0, 2).toSorted());
  expect(await getOrders({ completed_since: second })).toEqual(orders.slice(1).toSorted());
  const type = 'receipt';
  const approved = await listIds('/v1/stock-documents', { type, approved_since: first, approved_until: second });
  expect(approved).toContain(documents[0]);
  expect(approved).not.toContain(documents[1]);
});

test('rows of orders have totals and time of completion with include=totals, and their lines with include=lines', async () => {
  const lines = [1, 2, 3].map((quantity) => ({ itemId: w.bolt, quantity, unitPrice: 2 }));
  const id = await made(s.post('/v1/orders', { module: 'sell', contactId: w.customer, lines }));
  const detail = (await s.get(`/v1/orders/${id}?include=lines`)).body.data;
  const [row] = (await list('/v1/orders', { module: 'sell', id, include: 'lines,totals' })) as unknown as [Record<string, unknown>];
  expect(row).toMatchObject({ currency: 'EUR', subtotal: 12, total: 12, fulfilment: 'none', completedAt: null });
  expect(row['lines']).toEqual(detail.lines);
  expect((await list('/v1/orders', { module: 'sell', id }))[0]).not.toHaveProperty('lines');
});

test('the audit trail is filtered by record and key, with a cursor that moves past the others', async () => {
  const key = await s.addKey();
  const id = await made(s.post('/v1/contacts', { name: 'Audited' }, { key }));
  await s.patch(`/v1/contacts/${id}`, { name: 'Changed' });
  const actions = async (query: string) =>
    (await s.get(`/v1/audit/events?${query}`)).body.data.map(({ action }: { action: string }) => action);
  expect(await actions(`resource_id=${id}`)).toEqual(['contact.created', 'contact.updated']);
  expect(await actions(`resource_type=contact&resource_id=${id}&limit=1`)).toEqual(['contact.created']);
  const [{ actorId }] = (await s.get(`/v1/audit/events?resource_id=${id}&limit=1`)).body.data;
  expect(await actions(`api_key_id=${String(actorId)}`)).toEqual(['contact.created']);
  const none = (await s.get('/v1/audit/events?resource_type=none')).body;
  const all = (await s.get('/v1/audit/events?limit=1000')).body;
  expect(none).toEqual({ data: [], pagination: all.pagination });
});
