/** Item categories over the admin API. */
import { expect, test } from 'vitest';
import { CATEGORIES_MAX_DEPTH } from '../../../src/contract/limits.ts';
import { startAdmin } from '../../support/service/admin.ts';

test('category names are unique among siblings, case-insensitively', async () => {
  await using a = await startAdmin();
  const reply = await a.post('/admin/categories', { name: ' Coffee ' });
  expect(reply.status).toBe(201);
  const { data } = reply.body;
  expect(data).toEqual({
    id: expect.any(String),
    name: 'Coffee',
    parentId: null,
    isActive: true,
    createdAt: expect.any(String),
    updatedAt: data.createdAt,
  });
  const again = await a.post('/admin/categories', { name: 'COFFEE' });
  expect(again.body.error).toMatchObject({ code: 'DUPLICATE_VALUE', details: { field: 'name', existingId: data.id } });
  const child = await a.post('/admin/categories', { name: 'Coffee', parentId: data.id });
  expect(child.status).toBe(201);
  expect((await a.patch(`/admin/categories/${child.body.data.id}`, { parentId: null })).status).toBe(409);
  expect((await a.audit()).map(({ action }) => action)).toEqual(['category.created', 'category.created']);
  expect(await a.s.events()).toEqual([]);
});

test('a category cannot be its own ancestor', async () => {
  await using a = await startAdmin();
  const add = async (name: string, parentId: string | null) =>
    (await a.post('/admin/categories', { name, parentId })).body.data.id as string;
  const top = await add('A', null);
  const middle = await add('B', top);
  const bottom = await add('C', middle);
  for (const parentId of [top, middle, bottom]) {
    const refused = await a.patch(`/admin/categories/${top}`, { parentId });
    expect(refused.status).toBe(400);
    expect(refused.body.error).toMatchObject({
      message: 'A category cannot be moved under itself or one of its subcategories.',
      fields: [{ path: '/parentId', code: 'not_allowed' }],
    });
  }
  expect((await a.patch(`/admin/categories/${bottom}`, { parentId: top })).body.data.parentId).toBe(top);
  expect((await a.patch(`/admin/categories/${middle}`, { parentId: bottom })).status).toBe(200);
});

test('categories nest to a maximum depth', async () => {
  await using a = await startAdmin();
  let parentId: string | null = null;
  const { id: root } = (await a.post('/admin/categories', { name: 'Root' })).body.data;
  await a.post('/admin/categories', { name: 'Leaf', parentId: root });
  for (let depth = 1; depth <= CATEGORIES_MAX_DEPTH; depth += 1) {
    const reply = await a.post('/admin/categories', { name: `Level ${String(depth)}`, parentId });
    expect(reply.status).toBe(201);
    if (depth === CATEGORIES_MAX_DEPTH) {
      const moved = await a.patch(`/admin/categories/${root}`, { parentId });
      expect(moved.body.error.fields, 'with what stands under it').toMatchObject([{ path: '/parentId', code: 'too_big' }]);
    }
    parentId = reply.body.data.id as string;
  }
  expect((await a.post('/admin/categories', { name: 'Too deep', parentId })).body.error.fields).toMatchObject([
    { path: '/parentId', code: 'too_big' },
  ]);
});

test('a category with items or subcategories cannot be deleted, only deactivated', async () => {
  await using a = await startAdmin();
  const { id } = (await a.post('/admin/categories', { name: 'Coffee' })).body.data;
  const { id: child } = (await a.post('/admin/categories', { name: 'Green', parentId: id })).body.data;
  await a.s.post('/v1/items', { name: 'Guji', categoryId: id });
  const refused = await a.delete(`/admin/categories/${id}`);
  expect(refused.body.error).toMatchObject({
    code: 'RESOURCE_IN_USE',
    message: 'The category is in use by 1 item (Guji) and 1 subcategory (Green). Deactivate it instead: set isActive to false.',
    details: { references: { items: 1, subcategories: 1 } },
  });
  expect((await a.patch(`/admin/categories/${id}`, { isActive: false })).body.data.isActive).toBe(false);
  expect((await a.delete(`/admin/categories/${child}`)).status).toBe(204);
  expect((await a.get(`/admin/categories/${child}`)).status).toBe(404);
});

test('renaming a category updates its items without item events', async () => {
  await using a = await startAdmin();
  const { id } = (await a.post('/admin/categories', { name: 'Coffee' })).body.data;
  const { data: item } = (await a.s.post('/v1/items', { name: 'Guji', categoryId: id })).body;
  const events = await a.s.events();
  await a.patch(`/admin/categories/${id}`, { name: 'Green coffee' });
  expect((await a.s.get(`/v1/items/${item.id}`)).body.data.category).toEqual({ id, name: 'Green coffee' });
  expect(await a.s.events()).toEqual(events);
});

test('categories are filtered by parent and activity, within the tenant only', async () => {
  await using a = await startAdmin();
  const { id } = (await a.post('/admin/categories', { name: 'Coffee' })).body.data;
  await a.post('/admin/categories', { name: 'Green', parentId: id, isActive: false });
  const names = async (query: string) =>
    (await a.get(`/admin/categories?tenant=first&${query}`)).body.data.map(({ name }: { name: string }) => name);
  expect(await names('')).toEqual(['Coffee', 'Green']);
  expect(await names(`parent_id=${id}`)).toEqual(['Green']);
  expect(await names('is_active=true')).toEqual(['Coffee']);
  await a.post('/admin/tenants', { name: 'Second' });
  expect((await a.post('/admin/categories?tenant=second', { name: 'X', parentId: id })).body.error.fields).toMatchObject([
    { path: '/parentId' },
  ]);
  expect((await a.get(`/admin/categories/${id}?tenant=second`)).status).toBe(404);
  expect((await a.patch(`/admin/categories/${id}?tenant=second`, { name: 'X' })).status).toBe(404);
  expect((await a.delete(`/admin/categories/${id}?tenant=second`)).status).toBe(404);
});
