/** Item categories, a tree. D-22. */
import { NAME_MAX_CHARS } from '../limits.ts';
import { one, operation, pageOf } from '../operation.ts';
import { type Infer, t } from '../schema.ts';
import { activeFilter, tenantListQuery, tenantQuery } from './common.ts';

export const category = t.object({
  id: t.uuid(),
  name: t.string(),
  parentId: t.nullable(t.uuid()),
  isActive: t.bool(),
  createdAt: t.timestamp(),
  updatedAt: t.timestamp(),
});
export type Category = Infer<typeof category>;

export const categoryDraft = t.object({
  name: t.about(t.line(NAME_MAX_CHARS), { description: 'Unique under its parent, whatever its case.' }),
  parentId: t.withDefault(t.nullable(t.uuid()), null),
  isActive: t.withDefault(t.bool(), true),
});
export type CategoryDraft = Infer<typeof categoryDraft>;
export const categoryPatch = t.partial(categoryDraft);
export type CategoryPatch = Infer<typeof categoryPatch>;

const byId = t.object({ category_id: t.uuid() });

export const listCategories = operation({
  id: 'categories.list',
  method: 'GET',
  path: '/admin/categories',
  scope: null,
  summary: 'List categories',
  query: t.object({ ...tenantListQuery(['name', 'created_at']), ...activeFilter, parent_id: t.optional(t.uuid()) }),
  status: 200,
  result: pageOf(category),
});

export const createCategory = operation({
  id: 'categories.create',
  method: 'POST',
  path: '/admin/categories',
  scope: null,
  summary: 'Create a category',
  query: tenantQuery,
  body: categoryDraft,
  status: 201,
  result: one(category),
  errors: ['DUPLICATE_VALUE'],
  example: { body: { name: 'Green coffee' } },
});

export const getCategory = operation({
  id: 'categories.get',
  method: 'GET',
  path: '/admin/categories/{category_id}',
  scope: null,
  summary: 'Read a category',
  params: byId,
  query: tenantQuery,
  status: 200,
  result: one(category),
});

export const updateCategory = operation({
  id: 'categories.update',
  method: 'PATCH',
  path: '/admin/categories/{category_id}',
  scope: null,
  summary: 'Rename, move or deactivate a category',
  params: byId,
  query: tenantQuery,
  body: categoryPatch,
  status: 200,
  result: one(category),
  errors: ['DUPLICATE_VALUE'],
});

export const deleteCategory = operation({
  id: 'categories.delete',
  method: 'DELETE',
  path: '/admin/categories/{category_id}',
  scope: null,
  summary: 'Delete a category without items and subcategories',
  params: byId,
  query: tenantQuery,
  status: 204,
  result: null,
  errors: ['RESOURCE_IN_USE'],
});

export const categoryOperations = [listCategories, createCategory, getCategory, updateCategory, deleteCategory] as const;
