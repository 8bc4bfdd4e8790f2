/** Places where stock is kept; exactly one is the default. D-22. */
import { CODE_MAX_CHARS, DESCRIPTION_MAX_CHARS, NAME_MAX_CHARS } from '../limits.ts';
import { one, operation, pageOf } from '../operation.ts';
import { type Infer, t } from '../schema.ts';
import { activeFilter, tenantListQuery, tenantQuery } from './common.ts';

export const site = t.object({
  id: t.uuid(),
  name: t.string(),
  code: t.string(),
  address: t.string(),
  isDefault: t.bool(),
  isActive: t.bool(),
  createdAt: t.timestamp(),
  updatedAt: t.timestamp(),
});
export type Site = Infer<typeof site>;

export const siteDraft = t.object({
  name: t.line(NAME_MAX_CHARS),
  code: t.optional(t.about(t.line(CODE_MAX_CHARS), { description: 'Unique within the tenant; made from the name when left out.' })),
  address: t.withDefault(t.notes(DESCRIPTION_MAX_CHARS), ''),
  isDefault: t.withDefault(t.about(t.bool(), { description: 'True takes the part over from the site that had it.' }), false),
  isActive: t.withDefault(t.bool(), true),
});
export type SiteDraft = Infer<typeof siteDraft>;
export const sitePatch = t.partial(siteDraft);
export type SitePatch = Infer<typeof sitePatch>;

const byId = t.object({ site_id: t.uuid() });

export const listSites = operation({
  id: 'sites.list',
  method: 'GET',
  path: '/admin/sites',
  scope: null,
  summary: 'List sites',
  query: t.object({ ...tenantListQuery(['name', 'code', 'created_at']), ...activeFilter }),
  status: 200,
  result: pageOf(site),
});

export const createSite = operation({
  id: 'sites.create',
  method: 'POST',
  path: '/admin/sites',
  scope: null,
  summary: 'Create a site',
  query: tenantQuery,
  body: siteDraft,
  status: 201,
  result: one(site),
  errors: ['DUPLICATE_VALUE'],
  example: { body: { name: 'Warehouse North', code: 'WN' } },
});

export const getSite = operation({
  id: 'sites.get',
  method: 'GET',
  path: '/admin/sites/{site_id}',
  scope: null,
  summary: 'Read a site',
  params: byId,
  query: tenantQuery,
  status: 200,
  result: one(site),
});

export const updateSite = operation({
  id: 'sites.update',
  method: 'PATCH',
  path: '/admin/sites/{site_id}',
  scope: null,
  summary: 'Change a site, or make it the default',
  params: byId,
  query: tenantQuery,
  body: sitePatch,
  status: 200,
  result: one(site),
  errors: ['DUPLICATE_VALUE', 'RESOURCE_IN_USE'],
});

export const deleteSite = operation({
  id: 'sites.delete',
  method: 'DELETE',
  path: '/admin/sites/{site_id}',
  scope: null,
  summary: 'Delete a site that nothing refers to',
  params: byId,
  query: tenantQuery,
  status: 204,
  result: null,
  errors: ['RESOURCE_IN_USE'],
});

export const siteOperations = [listSites, createSite, getSite, updateSite, deleteSite] as const;
