/** Admin handlers of sites. */
import type { siteOperations } from '../../contract/admin/sites.ts';
import { createSite, deleteSite, getSite, updateSite } from '../../domain/tenancy/sites.ts';
import { listSites } from '../settings.ts';
import { type AdminHandlers, writeTenantUnkeyed, readTenant, writeTenant } from './handler.ts';

export const siteHandlers: AdminHandlers<typeof siteOperations> = {
  async 'sites.list'(call) {
    return readTenant(call, (tx) => listSites(tx, call.query));
  },
  async 'sites.get'(call) {
    return { data: await readTenant(call, (tx) => getSite(tx, call.params.site_id)) };
  },
  async 'sites.create'(call) {
    return writeTenant(call, async (tx, context) => ({ data: await createSite(tx, context, call.body) }));
  },
  async 'sites.update'(call) {
    return writeTenant(call, async (tx, context) => ({ data: await updateSite(tx, context, call.params.site_id, call.body) }));
  },
  async 'sites.delete'(call) {
    await writeTenantUnkeyed(call, (tx, context) => deleteSite(tx, context, call.params.site_id));
  },
};
