/** Audit rows of deletions name what was deleted. */
import { expect, test } from 'vitest';
import { startAdmin } from '../../support/service/admin.ts';

test('the audit row of a deletion names the deleted record', async () => {
  await using a = await startAdmin();
  const made = async (answer: Promise<{ status: number; body?: unknown }>) => {
    const { status, body } = await answer;
    expect(status, JSON.stringify(body)).toBe(201);
    return (body as { data: { id: string } }).data.id;
  };
  const webhook = { name: 'Old shop', targetUrl: 'http://127.0.0.1:9/', subscribedEvents: ['order.created'] };
  const gone = {
    'item.deleted': [`/v1/items/${await made(a.s.post('/v1/items', { name: 'Bolt', sku: 'B-1' }))}`, { name: 'Bolt', sku: 'B-1' }],
    'contact.deleted': [`/v1/contacts/${await made(a.s.post('/v1/contacts', { name: 'Ada' }))}`, { name: 'Ada' }],
    'stock_document.deleted': [
      `/v1/stock-documents/${await made(a.s.post('/v1/stock-documents', { type: 'receipt' }))}`,
      { documentNumber: expect.any(String) as string },
    ],
    'webhook.deleted': [`/v1/webhooks/${await made(a.s.post('/v1/webhooks', webhook))}`, { name: 'Old shop' }],
    'category.deleted': [`/admin/categories/${await made(a.post('/admin/categories', { name: 'Nuts' }))}`, { name: 'Nuts' }],
    'unit.deleted': [
      `/admin/units/${await made(a.post('/admin/units', { name: 'pallet', symbol: 'plt', dimension: 'count' }))}`,
      { name: 'pallet', symbol: 'plt' },
    ],
    'site.deleted': [
      `/admin/sites/${await made(a.post('/admin/sites', { name: 'Attic', code: 'ATTIC' }))}`,
      { name: 'Attic', code: 'ATTIC' },
    ],
    'user.removed': [`/admin/users/${await made(a.post('/admin/users', { email: 'a@b.example' }))}`, { email: 'a@b.example' }],
  } as const;
  for (const [path] of Object.values(gone)) {
    const { status, text } = await (path.startsWith('/v1') ? a.s.delete(path) : a.delete(path));
    expect([path, status, text]).toEqual([path, 204, '']);
  }
  const rows = (await a.audit()).filter(({ action }) => action in gone);
  expect(rows.map(({ action }) => action).toSorted()).toEqual(Object.keys(gone).toSorted());
  for (const { action, metadata } of rows) expect(metadata, action).toMatchObject(gone[action as keyof typeof gone][1]);
});
