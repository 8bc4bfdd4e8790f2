/** Stock locations of a tenant; exactly one is the default. D-22. */
import { CODE_MAX_CHARS, DESCRIPTION_MAX_CHARS, NAME_MAX_CHARS } from '../limits.ts';
import { single, defineOperation, paginated } from '../operation.ts';
import { type Infer, describe, t } from '../schema/builder.ts';
import { activeFilter, site } from '../resources/setting-records.ts';
import { tenantListQuery, tenantQuery } from './shared-schemas.ts';

/** The default site of a new tenant. */
export const DEFAULT_SITE = { name: 'Main', code: 'MAIN' } as const;

export const siteDraft = t.object({
  name: t.annotate(t.line(NAME_MAX_CHARS), { description: 'Name of the site.' }),
  code: t.optional(
    t.annotate(t.line(CODE_MAX_CHARS), { description: 'Short code; unique within the tenant. Default: derived from the name.' }),
  ),
  address: describe(t.withDefault(t.multiline(DESCRIPTION_MAX_CHARS), ''), 'Postal address.'),
  isDefault: t.withDefault(t.annotate(t.bool(), { description: 'Makes this site the default, replacing the previous one.' }), false),
  isActive: describe(t.withDefault(t.bool(), true), 'Whether new orders can use it.'),
});
export type SiteDraft = Infer<typeof siteDraft>;
export const sitePatch = t.partial(siteDraft);
export type SitePatch = Infer<typeof sitePatch>;

const byId = t.object({ site_id: t.id('site') });

export const listSites = defineOperation({
  id: 'sites.list',
  method: 'GET',
  path: '/admin/sites',
  scope: null,
  summary: 'List sites',
  query: t.object({ ...tenantListQuery(['name', 'code', 'created_at', 'updated_at']), ...activeFilter }),
  status: 200,
  result: paginated(site),
});

export const createSite = defineOperation({
  id: 'sites.create',
  method: 'POST',
  path: '/admin/sites',
  scope: null,
  summary: 'Create a site',
  query: tenantQuery,
  body: siteDraft,
  status: 201,
  result: single(site),
  errors: ['DUPLICATE_VALUE'],
  example: { body: { name: 'Warehouse North', code: 'WN' } },
});

export const getSite = defineOperation({
  id: 'sites.get',
  method: 'GET',
  path: '/admin/sites/{site_id}',
  scope: null,
  summary: 'Get a site',
  params: byId,
  query: tenantQuery,
  status: 200,
  result: single(site),
});

export const updateSite = defineOperation({
  id: 'sites.update',
  method: 'PATCH',
  path: '/admin/sites/{site_id}',
  scope: null,
  summary: 'Update a site',
  description: 'Omitted fields are unchanged.',
  params: byId,
  query: tenantQuery,
  body: sitePatch,
  status: 200,
  result: single(site),
  errors: ['DUPLICATE_VALUE', 'RESOURCE_IN_USE'],
});

export const deleteSite = defineOperation({
  id: 'sites.delete',
  method: 'DELETE',
  path: '/admin/sites/{site_id}',
  scope: null,
  summary: 'Delete an unused site',
  params: byId,
  query: tenantQuery,
  status: 204,
  result: null,
  errors: ['RESOURCE_IN_USE'],
});

export const siteOperations = [listSites, createSite, getSite, updateSite, deleteSite] as const;
