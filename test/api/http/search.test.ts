/** `search` of every list: it ignores case and accents, in the data and in the text to search for. D-21. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { made } from '../../support/resources/order-world.ts';
import { addWebhook } from '../../support/resources/webhooks.ts';
import { stockUp } from '../../support/resources/stock.ts';
import { type TestAdmin, startAdmin } from '../../support/service/admin.ts';

let a: TestAdmin;
const ids: Record<string, string> = {};
beforeAll(async () => {
  a = await startAdmin();
  const { s } = a;
  ids['item'] = await made(s.post('/v1/items', { name: 'Café Straße', sku: 'CAF\u00c9-1' }));
  ids['plain'] = await made(s.post('/v1/items', { name: 'Cafe strasse', sku: 'CAFE-1' }));
  ids['contact'] = await made(s.post('/v1/contacts', { name: 'Łódź Café', contactType: 'both' }));
  const order = { module: 'buy', contactId: ids['contact'], reference: 'Réf 1', lines: [{ itemId: ids['item'], quantity: 1 }] };
  await made(s.post('/v1/orders', order));
  const lines = [{ itemId: ids['item'], quantity: 1 }];
  ids['document'] = await made(s.post('/v1/stock-documents', { type: 'receipt', reference: 'Reçu', lines }));
  await stockUp(s, [{ itemId: ids['item'], quantity: 1 }]);
  ids['product'] = await made(s.post('/v1/items', { name: 'Box', itemType: 'combo' }));
  await made(s.post(`/v1/items/${ids['product']}/ingredients`, { ingredientItemId: ids['item'], quantity: 1 }));
  await made(s.post(`/v1/items/${ids['item']}/suppliers`, { supplierId: ids['contact'] }));
  await addWebhook(s, 'http://127.0.0.1:9/', { name: 'Käufe' });
  for (const [path, body] of [
    ['sites', { name: 'Zürich', code: 'ZRH' }],
    ['units', { name: 'Größe', symbol: 'gr' }],
    ['categories', { name: 'Thés' }],
    ['users', { name: 'Zoë', email: 'z@example.com' }],
    ['apps', { name: 'Données', type: 'confidential', redirectUris: ['https://example.com/back'], scopes: ['items:read'] }],
    ['keys', { name: 'Clé', allScopes: true }],
    ['tenants', { name: 'Señor', slug: 'sr' }],
  ] as const)
    await made(a.post(`/admin/${path}`, body));
});
afterAll(() => a[Symbol.asyncDispose]());

test.each([
  ['/v1/items', 'cafe', 2],
  ['/v1/items', 'CAFÉ-1', 2],
  ['/v1/items', 'strass', 2],
  ['/v1/items', 'Cafe\u0301', 2],
  ['/v1/contacts', 'lodz', 1],
  ['/v1/orders?module=buy', 'ref', 1],
  ['/v1/orders?module=buy', 'lodz', 1],
  ['/v1/stock-documents', 'RECU', 1],
  ['/v1/stock-documents/{document}/lines', 'cafe-1', 1],
  ['/v1/stock-levels', 'cafe', 1],
  // One row per site.
  ['/v1/stock-levels?item_type=combo', 'bôx', 2],
  ['/v1/items/{product}/ingredients', 'strasse', 1],
  ['/v1/items/{item}/suppliers', 'lodz', 1],
  ['/v1/webhooks', 'kaufe', 1],
  ['/admin/sites?tenant=first', 'zurich', 1],
  ['/admin/units?tenant=first', 'grosse', 1],
  ['/admin/categories?tenant=first', 'thes', 1],
  ['/admin/users?tenant=first', 'zoe', 1],
  ['/admin/apps', 'donnees', 1],
  ['/admin/keys?tenant=first', 'cle', 1],
  ['/admin/tenants', 'senor', 1],
])('GET %s: search=%s ignores accents', async (path, search, total) => {
  const [plain = '', query = ''] = path.replaceAll(/\{(\w+)\}/gu, (_, name: string) => ids[name] ?? '').split('?');
  const api = plain.startsWith('/admin') ? a : a.s;
  const { body, text } = await api.get(`${plain}?${query}&search=${encodeURIComponent(search)}`.replace('?&', '?'));
  expect(body.pagination?.total, text).toBe(total);
});

test('unique keys and the order of names do not ignore accents', async () => {
  expect((await a.s.get('/v1/items?sku=CAFE-1')).body.data).toMatchObject([{ id: ids['plain'] }]);
  const { data } = (await a.s.get('/v1/items?search=cafe&sort=name')).body;
  expect(data.map(({ name }: { name: string }) => name)).toEqual(['Cafe strasse', 'Café Straße']);
});
