/** Admin handlers of sites. */
import type { siteOperations } from '../../contract/admin/sites.ts';
import { createSite, deleteSite, getSite, updateSite } from '../../domain/tenancy/sites.ts';
import { listSites } from '../settings.ts';
import { type AdminHandlers, readTenant, writeTenant } from './handler.ts';

export const siteHandlers: AdminHandlers<typeof siteOperations> = {
  'sites.list': async (call) => readTenant(call, (tx) => listSites(tx, call.query)),
  'sites.get': async (call) => ({ data: await readTenant(call, (tx) => getSite(tx, call.params.site_id)) }),
  'sites.create': async (call) => writeTenant(call, async (tx, context) => ({ data: await createSite(tx, context, call.body) })),
  'sites.update': async (call) =>
    writeTenant(call, async (tx, context) => ({ data: await updateSite(tx, context, call.params.site_id, call.body) })),
  async 'sites.delete'(call) {
    await writeTenant(call, (tx, context) => deleteSite(tx, context, call.params.site_id));
  },
};
