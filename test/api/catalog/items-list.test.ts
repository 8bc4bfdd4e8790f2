/** GET /v1/items: sorting, filters, search and pagination. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PAGE_SIZE_DEFAULT } from '../../../src/contract/limits.ts';
import { addCategory } from '../../support/resources/units-and-categories.ts';
import { type CallOptions, type TestService, ABSENT, startService } from '../../support/service/service.ts';
import { refused } from '../../support/service/call-trace.ts';

let s: TestService;
let options: { key: string };
const ids: Record<string, string> = {};
const names = async (query: string) => {
  const reply = await s.get(`/v1/items?${query}`, options);
  expect(reply.status, reply.text).toBe(200);
  return reply.body.data.map(({ name }: { name: string }) => name);
};
beforeAll(async () => {
  s = await startService();
  const tenant = await s.addTenant('listed');
  options = { key: await s.addKey({ tenantId: tenant.id }) };
  const categoryId = await addCategory(s, 'Green', { tenantId: tenant.id });
  const supplierId = (await s.post('/v1/contacts', { name: 'Farm', contactType: 'supplier' }, options)).body.data.id;
  Object.assign(ids, { categoryId, supplierId });
  for (const body of [
    { name: 'banana', sku: 'B-2', barcode: '111-Banana', isActive: false },
    { name: 'Apple', sku: 'a-1', mpn: 'PINK-lady', categoryId },
    { name: 'cherry', sku: 'C-3', itemType: 'material', supplierId },
    { name: 'Ångström', itemType: 'combo' },
    { name: 'apple', categoryId, supplierId },
  ]) {
    ids[body.name] = (await create(body, options)).id;
    s.clock.advance(1);
  }
});

afterAll(async () => {
  await s[Symbol.asyncDispose]();
});

const create = async (draft: object, more: CallOptions) => (await s.post('/v1/items', draft, more)).body.data;

test.each([
  ['name', ['Apple', 'apple', 'banana', 'cherry', 'Ångström']],
  ['sku', ['Apple', 'banana', 'cherry', 'Ångström', 'apple']],
  ['created_at', ['banana', 'Apple', 'cherry', 'Ångström', 'apple']],
  ['updated_at', ['banana', 'Apple', 'cherry', 'Ångström', 'apple']],
])('GET /v1/items sorts by %s case-insensitively, missing values last, in both directions', async (sort, expected) => {
  expect(await names(`sort=${sort}`)).toEqual(expected);
  expect(await names(`sort=-${sort}`)).toEqual([...expected].reverse());
});

test('GET /v1/items sorts by name with 50 items per page by default', async () => {
  const { body } = await s.get('/v1/items', options);
  expect(body.data.map(({ name }: { name: string }) => name)).toEqual(await names('sort=name'));
  expect(body.pagination).toEqual({ page: 1, pageSize: PAGE_SIZE_DEFAULT, total: 5, totalPages: 1 });
  expect(body.data[0]).toEqual((await s.get(`/v1/items/${String(ids['Apple'])}`, options)).body.data);
});

test.each([
  ['search=APP', ['Apple', 'apple']],
  ['search=%20nan%20', ['banana']],
  ['search=c-3', ['cherry']],
  ['search=pink', ['Apple']],
  ['search=111-b', ['banana']],
  ['search=%C3%A5NG', ['Ångström']],
  ['search=', ['Apple', 'apple', 'banana', 'cherry', 'Ångström']],
  ['search=durian', []],
  ['item_type=material', ['cherry']],
  ['item_type=material,combo', ['cherry', 'Ångström']],
  ['is_active=false', ['banana']],
  ['is_active=true&search=a', ['Apple', 'apple', 'Ångström']],
  ['sku=b-2', ['banana']],
  ['sku=%20A-1', ['Apple']],
  ['sku=b', []],
  ['barcode=111-BANANA', ['banana']],
  ['barcode=111', []],
])('GET /v1/items %s', async (query, expected) => {
  expect(await names(query)).toEqual(expected);
});

test('GET /v1/items filters by category and supplier and combines filters with AND', async () => {
  const { categoryId, supplierId } = ids;
  expect(await names(`category_id=${String(categoryId)}`)).toEqual(['Apple', 'apple']);
  expect(await names(`supplier_id=${String(supplierId)}`)).toEqual(['apple', 'cherry']);
  expect(await names(`supplier_id=${ABSENT},${String(supplierId)}&category_id=${String(categoryId)}`)).toEqual(['apple']);
});

test('GET /v1/items accepts any offset in updated_since and created_since and includes the instant', async () => {
  const { createdAt } = (await s.get(`/v1/items/${String(ids['cherry'])}`, options)).body.data;
  const local = `${new Date(Date.parse(createdAt) + 3_600_000).toISOString().slice(0, -1)}%2B01:00`;
  expect(await names(`created_since=${local}&sort=created_at`)).toEqual(['cherry', 'Ångström', 'apple']);
  expect(await names(`updated_since=${createdAt}&sort=created_at`)).toEqual(['cherry', 'Ångström', 'apple']);
});

test.each([
  'page=0',
  'page=x',
  'page_size=0',
  'page_size=201',
  'sort=price',
  'item_type=kit',
  'item_type=',
  'is_active=maybe',
  'category_id=green',
  'updated_since=yesterday',
  'colour=red',
  'pageSize=5',
])('GET /v1/items rejects %s with 400', async (query) => {
  const reply = await refused(s, () => s.get(`/v1/items?${query}`), 400, 'VALIDATION_FAILED');
  expect(reply.body.error.fields[0]).toMatchObject({ in: 'query', path: `/${query.split('=')[0] ?? ''}` });
});

test('GET /v1/items returns every row exactly once across pages for every sort order', async () => {
  const walker = { key: await s.addKey({ tenantId: (await s.addTenant('walked')).id }) };
  const all = new Set<string>();
  for (let count = 0; count < 23; count += 1) all.add((await create({ name: `same ${String(count % 3)}` }, walker)).id);
  for (const sort of ['name', '-name', 'sku', '-sku', 'created_at', '-updated_at']) {
    const seen: string[] = [];
    for (let page = 1; ; page += 1) {
      const { data, pagination } = (await s.get(`/v1/items?page=${String(page)}&page_size=5&sort=${sort}`, walker)).body;
      expect(pagination).toEqual({ page, pageSize: 5, total: 23, totalPages: 5 });
      if (data.length === 0) break;
      seen.push(...data.map(({ id }: { id: string }) => id));
    }
    expect(seen).toHaveLength(23);
    expect(new Set(seen)).toEqual(all);
  }
});
