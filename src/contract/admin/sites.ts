/** Stock locations of a tenant; exactly one is the default. D-22. */
import { CODE_MAX_CHARS, DESCRIPTION_MAX_CHARS, NAME_MAX_CHARS } from '../limits.ts';
import { single, defineAdminOperation, paginated } from '../operation.ts';
import { type Infer, describe, t } from '../schema/builder.ts';
import { activeFilter, site } from '../resources/setting-records.ts';
import { tenantListQuery, defineTenantOperation } from './shared-schemas.ts';

/** The default site of a new tenant. */
export const DEFAULT_SITE = { name: 'Main', code: 'MAIN' } as const;

export const siteDraft = t.object({
  name: t.annotate(t.line(NAME_MAX_CHARS), { description: 'Name of the site.' }),
  code: t.optional(describe(t.line(CODE_MAX_CHARS), 'Short code; unique within the tenant. Default: derived from the name.')),
  address: describe(t.withDefault(t.multiline(DESCRIPTION_MAX_CHARS), ''), 'Postal address.'),
  isDefault: t.withDefault(t.annotate(t.bool(), { description: 'Makes this site the default, replacing the previous one.' }), false),
  isActive: describe(t.withDefault(t.bool(), true), 'Whether new orders can use it.'),
});
export type SiteDraft = Infer<typeof siteDraft>;
export const sitePatch = t.partial(siteDraft);
export type SitePatch = Infer<typeof sitePatch>;

const byId = t.object({ site_id: t.id('site') });

export const listSites = defineAdminOperation('sites.list', 'GET', '/admin/sites', {
  summary: 'List sites',
  query: t.object({ ...tenantListQuery(['name', 'code', 'created_at', 'updated_at']), ...activeFilter }),
  result: paginated(site),
});

export const createSite = defineTenantOperation('sites.create', 'POST', '/admin/sites', {
  summary: 'Create a site',
  body: siteDraft,
  status: 201,
  result: single(site),
  errors: ['DUPLICATE_VALUE'],
  example: { body: { name: 'Warehouse North', code: 'WN' } },
});

export const getSite = defineTenantOperation('sites.get', 'GET', '/admin/sites/{site_id}', {
  summary: 'Get a site',
  params: byId,
  result: single(site),
});

export const updateSite = defineTenantOperation('sites.update', 'PATCH', '/admin/sites/{site_id}', {
  summary: 'Update a site',
  description: 'Omitted fields are unchanged.',
  params: byId,
  body: sitePatch,
  result: single(site),
  errors: ['DUPLICATE_VALUE', 'RESOURCE_IN_USE'],
});

export const deleteSite = defineTenantOperation('sites.delete', 'DELETE', '/admin/sites/{site_id}', {
  summary: 'Delete an unused site',
  params: byId,
  result: null,
  errors: ['RESOURCE_IN_USE'],
});

export const siteOperations = [listSites, createSite, getSite, updateSite, deleteSite] as const;
