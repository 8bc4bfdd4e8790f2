/** `dry_run=true` on changes of orders: what they would do to stock. */
import { expect, test } from 'vitest';
import { trace } from '../../support/service/call-trace.ts';
import { stockUp } from '../../support/resources/stock.ts';
import { useOrderStock } from '../../support/resources/order-stock.ts';

const { s, w, item, order, sale, purchase, level, ok } = useOrderStock();

const complete = (id: string, query = '') => s.patch(`/v1/orders/${id}${query}`, { status: 'completed' });

test('a dry run of a completion returns what it would post, and changes nothing', async () => {
  const [sold, bought] = [await item(), await item()];
  await stockUp(s, [{ itemId: sold, quantity: 10 }]);
  for (const [{ id }, itemId, quantityDelta, onHandAfter] of [
    [await sale(sold, 3), sold, -3, 7],
    [await purchase(bought, 4, { unitPrice: 2 }), bought, 4, 4],
  ] as const) {
    const before = { order: await order(id), level: await level(itemId) };
    const { reply, events, actions } = await trace(s, () => complete(id, '?dry_run=true'));
    expect([reply.status, reply.body.data.status, reply.headers['etag'], events, actions]).toEqual([200, 'completed', undefined, [], []]);
    expect(reply.body.data.stockEffects).toEqual([
      expect.objectContaining({ itemId, quantityDelta, onHandAfter, committedAfter: 0, availableAfter: onHandAfter }),
    ]);
    expect({ order: await order(id), level: await level(itemId) }).toEqual(before);
    await ok(complete(id));
    expect((await level(itemId)).figures).toEqual([onHandAfter, 0, 0]);
  }
});

test('a dry run of a new order returns what it would commit, and takes no number', async () => {
  const it = await item();
  await stockUp(s, [{ itemId: it, quantity: 5 }]);
  const draft = { module: 'sell', status: 'open', contactId: w.customer, lines: [{ itemId: it, quantity: 2 }] };
  const planned = (await ok(s.post('/v1/orders?dry_run=true', draft))).body.data;
  expect(planned.stockEffects).toEqual([expect.objectContaining({ itemId: it, quantityDelta: 0, committedAfter: 2, availableAfter: 3 })]);
  expect((await s.get(`/v1/orders/${planned.id}`)).status).toBe(404);
  const created = (await ok(s.post('/v1/orders', draft))).body.data;
  expect(created.orderNumber).toBe(planned.orderNumber);
  expect(created).not.toHaveProperty('stockEffects');
});

test('a dry run fails as the change would', async () => {
  const { id } = await sale(await item(), 1);
  await ok(s.patch(`/v1/orders/${id}`, { status: 'cancelled' }));
  const [dry, real] = [await complete(id, '?dry_run=true'), await complete(id)];
  expect([dry.status, dry.body.error.code]).toEqual([real.status, real.body.error.code]);
});
