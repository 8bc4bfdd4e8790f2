/** Records that cannot be deleted or changed because others refer to them: the error names some of these. D-20. */
import { expect, test } from 'vitest';
import { REFERENCE_EXAMPLES_MAX } from '../../../src/contract/record-references.ts';
import { made } from '../../support/resources/order-world.ts';
import { type TestAdmin, startAdmin } from '../../support/service/admin.ts';
import type { Reply } from '../../support/service/service.ts';

/** A shop in which everything is used: the ids of its records, and the numbers of order and receipt. */
async function fill(a: TestAdmin) {
  const post = (path: string, body: object): Promise<string> => made(a.s.post(path, body));
  const site = await made(a.post('/admin/sites', { name: 'North', code: 'NORTH' }));
  const category = await made(a.post('/admin/categories', { name: 'Coffee' }));
  await made(a.post('/admin/categories', { name: 'Green', parentId: category }));
  const unit = await made(a.post('/admin/units', { name: 'Bag', symbol: 'bag', dimension: 'count', precision: 0 }));
  const user = await made(a.post('/admin/users', { email: 'ana@example.com' }));
  const supplier = await post('/v1/contacts', { name: 'Mill', contactType: 'supplier' });
  const links = { categoryId: category, unitId: unit, supplierId: supplier };
  const item = await post('/v1/items', { name: 'Guji', sku: 'GUJI', ...links });
  const blend = await post('/v1/items', { name: 'House blend' });
  await post(`/v1/items/${blend}/ingredients`, { ingredientItemId: item, quantity: 1 });
  const lines = [{ itemId: item, quantity: 2 }];
  const header = { module: 'buy', status: 'open', contactId: supplier, siteId: site, assignedTo: user };
  const { id: orderId, orderNumber } = (await a.s.post('/v1/orders', { ...header, lines })).body.data;
  const receipt = { type: 'receipt', orderId, lines };
  const { documentNumber } = (await a.s.post('/v1/stock-documents?approve=true', receipt)).body.data;
  return { site, category, unit, user, supplier, item, orderNumber, documentNumber };
}

const getDetails = ({ body }: Reply) => ({ code: body.error.code, examples: body.error.details.examples });

test('a record in use is not deleted, and the error names what uses it', async () => {
  await using a = await startAdmin();
  const { site, category, unit, user, supplier, item, orderNumber, documentNumber } = await fill(a);
  const [order, document] = [[orderNumber], [documentNumber]];
  const stock = { stockDocumentLines: document, ledgerEntries: document, stockLevels: ['NORTH'] };
  const used = { orders: order, stockDocuments: document };
  for (const [path, examples] of [
    [`/v1/contacts/${supplier}`, { ...used, preferredSuppliers: ['GUJI'] }],
    [`/v1/items/${item}`, { orderLines: order, ingredients: ['House blend'], ...stock }],
    [`/admin/sites/${site}`, used],
    [`/admin/categories/${category}`, { items: ['GUJI'], subcategories: ['Green'] }],
    [`/admin/users/${user}`, { orders: order }],
  ] as const) {
    const reply = await (path.startsWith('/v1') ? a.s.delete(path) : a.delete(path));
    expect(getDetails(reply), path).toEqual({ code: 'RESOURCE_IN_USE', examples });
  }
  const { body } = await a.delete(`/admin/units/${unit}`);
  expect(body.error.message).toContain(`1 item (GUJI)`);
  expect(body.error.details.examples).toMatchObject({ items: ['GUJI'], orderLines: order, stockDocumentLines: document });
});

test('a change that other records prevent names them', async () => {
  await using a = await startAdmin();
  const { supplier, item, unit, orderNumber } = await fill(a);
  const type = await a.s.patch(`/v1/contacts/${supplier}`, { contactType: 'customer' });
  expect(getDetails(type)).toEqual({ code: 'RESOURCE_IN_USE', examples: { orders: [orderNumber], supplierLinks: ['GUJI'] } });
  const precision = await a.patch(`/admin/units/${unit}`, { dimension: 'mass' });
  expect(precision.body.error.details.examples).toMatchObject({ items: ['GUJI'] });
  const kind = await a.s.patch(`/v1/items/${item}`, { itemType: 'combo' });
  expect(kind.body.error.details.examples).toMatchObject({ ingredients: ['House blend'], orderLines: [orderNumber] });
});

test('of many records that use one only some are named, each once', async () => {
  await using a = await startAdmin();
  const contactId = await made(a.s.post('/v1/contacts', { name: 'Café' }));
  const itemId = await made(a.s.post('/v1/items', { name: 'Mug' }));
  const lines = [1, 2].map((quantity) => ({ itemId, quantity }));
  const numbers: string[] = [];
  for (let count = 0; count <= REFERENCE_EXAMPLES_MAX; count += 1)
    numbers.push((await a.s.post('/v1/orders', { module: 'sell', contactId, lines })).body.data.orderNumber as string);
  const named = (await a.s.delete(`/v1/contacts/${contactId}`)).body.error;
  expect(named.message).toBe(
    `The contact is in use by 4 orders (${named.details.examples.orders.join(', ')}, …). Deactivate it instead: set isActive to false.`,
  );
  expect(numbers).toEqual(expect.arrayContaining(named.details.examples.orders as string[]));
  const { details } = (await a.s.delete(`/v1/items/${itemId}`)).body.error;
  expect(details.references).toEqual({ orderLines: 8 });
  expect(new Set(details.examples.orderLines).size).toBe(REFERENCE_EXAMPLES_MAX);
});
