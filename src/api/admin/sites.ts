/** Admin handlers of sites. */
import type { siteOperations } from '../../contract/admin/sites.ts';
import { createSite, deleteSite, getSite, updateSite } from '../../domain/tenancy/sites.ts';
import { whereEquals, toPageQuery, toPagination } from '../pagination.ts';
import { type AdminHandlers, changeTenant, readTenant, writeTenant } from './handler.ts';

export const siteHandlers: AdminHandlers<typeof siteOperations> = {
  async 'sites.list'(call) {
    const { query } = call;
    const { rows, total } = await readTenant(call, (tx) =>
      tx.sites.listPage(toPageQuery(query, [whereEquals('isActive', query.is_active)])),
    );
    return { data: rows, pagination: toPagination(query, total) };
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
    await changeTenant(call, (tx, context) => deleteSite(tx, context, call.params.site_id));
  },
};
