/** Item categories, organized as a tree. D-22. */
import { NAME_MAX_CHARS } from '../limits.ts';
import { single, defineOperation, paginated } from '../operation.ts';
import { type Infer, describe, t } from '../schema/builder.ts';
import { activeFilter, category } from '../resources/setting-records.ts';
import { tenantListQuery, tenantQuery } from './shared-schemas.ts';

export const categoryDraft = t.object({
  name: t.annotate(t.line(NAME_MAX_CHARS), { description: 'Name; unique within the parent category, ignoring case.' }),
  parentId: describe(t.withDefault(t.nullable(t.id('category')), null), 'Parent category.'),
  isActive: describe(t.withDefault(t.bool(), true), 'Whether new items can use it.'),
});
export type CategoryDraft = Infer<typeof categoryDraft>;
export const categoryPatch = t.partial(categoryDraft);
export type CategoryPatch = Infer<typeof categoryPatch>;

const byId = t.object({ category_id: t.id('category') });

export const listCategories = defineOperation({
  id: 'categories.list',
  method: 'GET',
  path: '/admin/categories',
  scope: null,
  summary: 'List categories',
  query: t.object({
    ...tenantListQuery(['name', 'created_at', 'updated_at']),
    ...activeFilter,
    parent_id: t.optional(t.annotate(t.id('category'), { description: 'Only subcategories of this category.' })),
  }),
  status: 200,
  result: paginated(category),
});

export const createCategory = defineOperation({
  id: 'categories.create',
  method: 'POST',
  path: '/admin/categories',
  scope: null,
  summary: 'Create a category',
  query: tenantQuery,
  body: categoryDraft,
  status: 201,
  result: single(category),
  errors: ['DUPLICATE_VALUE'],
  example: { body: { name: 'Green coffee' } },
});

export const getCategory = defineOperation({
  id: 'categories.get',
  method: 'GET',
  path: '/admin/categories/{category_id}',
  scope: null,
  summary: 'Get a category',
  params: byId,
  query: tenantQuery,
  status: 200,
  result: single(category),
});

export const updateCategory = defineOperation({
  id: 'categories.update',
  method: 'PATCH',
  path: '/admin/categories/{category_id}',
  scope: null,
  summary: 'Update a category',
  description: 'Omitted fields are unchanged.',
  params: byId,
  query: tenantQuery,
  body: categoryPatch,
  status: 200,
  result: single(category),
  errors: ['DUPLICATE_VALUE'],
});

export const deleteCategory = defineOperation({
  id: 'categories.delete',
  method: 'DELETE',
  path: '/admin/categories/{category_id}',
  scope: null,
  summary: 'Delete an unused category',
  params: byId,
  query: tenantQuery,
  status: 204,
  result: null,
  errors: ['RESOURCE_IN_USE'],
});

export const categoryOperations = [listCategories, createCategory, getCategory, updateCategory, deleteCategory] as const;
