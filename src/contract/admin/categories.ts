/** Item categories, organized as a tree. D-22. */
import { NAME_MAX_CHARS } from '../limits.ts';
import { single, defineAdminOperation, paginated } from '../operation.ts';
import { type Infer, describe, t } from '../schema/builder.ts';
import { activeFilter, category } from '../resources/setting-records.ts';
import { tenantListQuery, defineTenantOperation } from './shared-schemas.ts';

export const categoryDraft = t.object({
  name: t.annotate(t.line(NAME_MAX_CHARS), { description: 'Name; unique within the parent category, ignoring case.' }),
  parentId: describe(t.withDefault(t.nullable(t.id('category')), null), 'Parent category.'),
  isActive: describe(t.withDefault(t.bool(), true), 'Whether new items can use it.'),
});
export type CategoryDraft = Infer<typeof categoryDraft>;
export const categoryPatch = t.partial(categoryDraft);
export type CategoryPatch = Infer<typeof categoryPatch>;

const byId = t.object({ category_id: t.id('category') });

export const listCategories = defineAdminOperation('categories.list', 'GET', '/admin/categories', {
  summary: 'List categories',
  query: t.object({
    ...tenantListQuery(['name', 'created_at', 'updated_at']),
    ...activeFilter,
    parent_id: t.optional(t.annotate(t.id('category'), { description: 'Only subcategories of this category.' })),
  }),
  result: paginated(category),
});

export const createCategory = defineTenantOperation('categories.create', 'POST', '/admin/categories', {
  summary: 'Create a category',
  body: categoryDraft,
  status: 201,
  result: single(category),
  errors: ['DUPLICATE_VALUE'],
  example: { body: { name: 'Green coffee' } },
});

export const getCategory = defineTenantOperation('categories.get', 'GET', '/admin/categories/{category_id}', {
  summary: 'Get a category',
  params: byId,
  result: single(category),
});

export const updateCategory = defineTenantOperation('categories.update', 'PATCH', '/admin/categories/{category_id}', {
  summary: 'Update a category',
  description: 'Omitted fields are unchanged.',
  params: byId,
  body: categoryPatch,
  result: single(category),
  errors: ['DUPLICATE_VALUE'],
});

export const deleteCategory = defineTenantOperation('categories.delete', 'DELETE', '/admin/categories/{category_id}', {
  summary: 'Delete an unused category',
  params: byId,
  result: null,
  errors: ['RESOURCE_IN_USE'],
});

export const categoryOperations = [listCategories, createCategory, getCategory, updateCategory, deleteCategory] as const;
