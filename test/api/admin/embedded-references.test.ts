/** Embedded names of related records stay current. */
import { beforeAll, afterAll, expect, test } from 'vitest';
import { type TestAdmin, startAdmin } from '../../support/service/admin.ts';
import { made, unitId } from '../../support/resources/order-world.ts';
import type { Reply } from '../../support/service/service.ts';
import { stockUp } from '../../support/resources/stock.ts';

let a: TestAdmin;
const id: Record<string, string> = {};
beforeAll(async () => {
  a = await startAdmin();
  id['site'] = await made(a.post('/admin/sites', { name: 'Northern hall', code: 'N' }));
  id['category'] = await made(a.post('/admin/categories', { name: 'Teas' }));
  id['supplier'] = await made(a.s.post('/v1/contacts', { name: 'Leaf Ltd', contactType: 'supplier', company: 'Leaf' }));
  const links = { categoryId: id['category'], supplierId: id['supplier'], unitId: await unitId(a.s, 'pcs') };
  id['item'] = await made(a.s.post('/v1/items', { name: 'Grüner Tee 🍵', ...links }));
  await made(a.s.post('/v1/items', { name: 'Alone' }));
  const lines = [{ itemId: id['item'], quantity: 1 }];
  id['order'] = await made(a.s.post('/v1/orders', { module: 'buy', contactId: id['supplier'], siteId: id['site'], lines }));
  await stockUp(a.s, [{ itemId: id['item'], quantity: 5, unitCost: 1 }], id['site']);
  const receipt = { type: 'receipt', siteId: id['site'], contactId: id['supplier'], lines: [{ itemId: id['item'], quantity: 1 }] };
  await made(a.s.post('/v1/stock-documents', receipt));
});
afterAll(() => a[Symbol.asyncDispose]());

const rename: Record<string, (name: string) => Promise<Reply>> = {
  site: (name) => a.patch(`/admin/sites/${id['site']}`, { name }),
  category: (name) => a.patch(`/admin/categories/${id['category']}`, { name }),
  supplier: (name) => a.s.patch(`/v1/contacts/${id['supplier']}`, { name }),
  contact: (name) => a.s.patch(`/v1/contacts/${id['supplier']}`, { name }),
  unit: async (name) => a.patch(`/admin/units/${await unitId(a.s, 'pcs')}`, { name }),
};

test.each([
  ['/v1/items?search=Tee', ['category', 'supplier']],
  ['/v1/orders?module=buy', ['site', 'contact']],
  ['/v1/stock-documents?type=receipt', ['site', 'contact']],
  ['/v1/stock-levels', ['site', 'unit']],
])('%s embeds current names of %j in a cached row', async (path, fields) => {
  const before = await a.s.get(path);
  expect((await a.s.get(path)).text).toBe(before.text);
  const expected = { ...before.body.data[0] };
  for (const field of fields) {
    const name = `Größer als ${path} 🏬`;
    expect((await rename[field]?.(name))?.status).toBe(200);
    expected[field] = { ...expected[field], name };
    const after = await a.s.get(path);
    expect(after.body.data[0]).toEqual(expected);
    expect(Buffer.byteLength(after.text)).toBe(Number(after.headers['content-length']));
  }
});

test('a single record and its list row are identical, whichever was read first', async () => {
  const one = () => a.s.get(`/v1/items/${id['item']}`);
  const listed = async () => (await a.s.get('/v1/items?search=Tee')).body.data[0];
  expect((await one()).body.data).toEqual(await listed());
  await a.patch(`/admin/categories/${id['category']}`, { name: 'Infusions' });
  expect((await one()).body.data.category.name).toBe('Infusions');
  expect(await listed()).toEqual((await one()).body.data);
});

test('a name changed in a rolled-back transaction is not shown', async () => {
  const fails = a.s.service.store.transact(a.s.tenant.id, async (tx) => {
    const stored = await tx.categories.get(id['category']!);
    if (stored) await tx.categories.put({ ...stored, name: 'Never' });
    throw new Error('no');
  });
  await expect(fails).rejects.toThrow('no');
  expect((await a.s.get('/v1/items?search=Tee')).text).not.toContain('Never');
});
