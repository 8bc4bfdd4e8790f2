/** Sites, units, categories and users, read-only: extensions. The admin API also changes them. D-22. */
import { defineOperation, listQuery, paginated, single } from '../operation.ts';
import { t } from '../schema/builder.ts';
import { USER_ROLES, USER_STATUSES, activeFilter, category, site, unit, user } from './setting-records.ts';

const EXAMPLE_ID = '0197a3c0-2222-7c33-9a51-3f2b9d6c1e70';

export const readSites = defineOperation('settings.sites.list', 'GET', '/v1/sites', {
  scope: 'inventory:read',
  extension: true,
  summary: 'List sites',
  query: t.object({ ...listQuery(['name', 'code', 'created_at', 'updated_at']), ...activeFilter }),
  result: paginated(site),
});

export const readSite = defineOperation('settings.sites.get', 'GET', '/v1/sites/{site_id}', {
  scope: 'inventory:read',
  extension: true,
  summary: 'Get a site',
  params: t.object({ site_id: t.id('site') }),
  result: single(site),
  example: { params: { site_id: EXAMPLE_ID } },
});

export const readUnits = defineOperation('settings.units.list', 'GET', '/v1/units', {
  scope: 'items:read',
  extension: true,
  summary: 'List units',
  query: t.object({ ...listQuery(['name', 'symbol', 'created_at', 'updated_at']), ...activeFilter }),
  result: paginated(unit),
});

export const readUnit = defineOperation('settings.units.get', 'GET', '/v1/units/{unit_id}', {
  scope: 'items:read',
  extension: true,
  summary: 'Get a unit',
  params: t.object({ unit_id: t.id('unit') }),
  result: single(unit),
  example: { params: { unit_id: EXAMPLE_ID } },
});

export const readCategories = defineOperation('settings.categories.list', 'GET', '/v1/categories', {
  scope: 'items:read',
  extension: true,
  summary: 'List categories',
  query: t.object({
    ...listQuery(['name', 'created_at', 'updated_at']),
    ...activeFilter,
    parent_id: t.optional(t.annotate(t.id('category'), { description: 'Only subcategories of this category.' })),
  }),
  result: paginated(category),
});

export const readCategory = defineOperation('settings.categories.get', 'GET', '/v1/categories/{category_id}', {
  scope: 'items:read',
  extension: true,
  summary: 'Get a category',
  params: t.object({ category_id: t.id('category') }),
  result: single(category),
  example: { params: { category_id: EXAMPLE_ID } },
});

export const readUsers = defineOperation('settings.users.list', 'GET', '/v1/users', {
  scope: 'organization:read',
  extension: true,
  summary: 'List users',
  query: t.object({
    ...listQuery(['name', 'email', 'created_at', 'updated_at']),
    role: t.optional(t.annotate(t.csv(t.enums(USER_ROLES)), { description: 'Only these roles, joined by commas.' })),
    status: t.optional(t.annotate(t.csv(t.enums(USER_STATUSES)), { description: 'Only these statuses, joined by commas.' })),
  }),
  result: paginated(user),
});

export const readUser = defineOperation('settings.users.get', 'GET', '/v1/users/{user_id}', {
  scope: 'organization:read',
  extension: true,
  summary: 'Get a user',
  params: t.object({ user_id: t.id('user') }),
  result: single(user),
  example: { params: { user_id: EXAMPLE_ID } },
});

export const settingOperations = [readSites, readSite, readUnits, readUnit, readCategories, readCategory, readUsers, readUser] as const;
