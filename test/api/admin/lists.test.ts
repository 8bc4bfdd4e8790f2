/** Lists of the public API over the admin API. */
import { expect, test } from 'vitest';
import { made } from '../../support/resources/order-world.ts';
import { startAdmin } from '../../support/service/admin.ts';

test('the lists of the owner are those of the public API, with the same filters', async () => {
  await using a = await startAdmin();
  const item = await made(a.s.post('/v1/items', { name: 'Bolt', sku: 'B-1' }));
  const contactId = await made(a.s.post('/v1/contacts', { name: 'Ada' }));
  const late = { module: 'sell', status: 'open', contactId, orderDate: '2020-01-01', dueDate: '2020-01-02' };
  await made(a.s.post('/v1/orders', { ...late, lines: [{ itemId: item, quantity: 1 }] }));
  await made(a.s.post('/v1/orders', { module: 'make', status: 'draft' }));
  await a.post('/admin/stock/reorder-points', { itemId: item, siteId: a.s.tenant.defaultSiteId, reorderPoint: 5 });
  for (const [list, query, count] of [
    ['orders', 'module=all&sort=due_date', 2],
    ['orders', 'module=all&overdue=true&include=totals', 1],
    ['stock-levels', 'low_stock=true', 1],
    ['stock-levels', 'low_stock=false', 0],
  ] as const) {
    const owner = await a.get(`/admin/${list === 'orders' ? list : 'stock/levels'}?${query}`);
    expect(owner.body.data, query).toHaveLength(count);
    expect(owner.body, query).toEqual((await a.s.get(`/v1/${list}?${query}`)).body);
  }
  expect((await a.get('/admin/orders')).status).toBe(400);
});
