import type { siteOperations } from '../../contract/admin/sites.ts';
import { createSite, deleteSite, getSite, updateSite } from '../../domain/sites.ts';
import { equal, pageQuery, paginationOf } from '../lists.ts';
import { type AdminHandlers, change, read } from './call.ts';

export const siteHandlers: AdminHandlers<typeof siteOperations> = {
  async 'sites.list'(call) {
    const { query } = call;
    const { rows, total } = await read(call, (tx) => tx.sites.page(pageQuery(query, [equal('isActive', query.is_active)])));
    return { data: rows, pagination: paginationOf(query, total) };
  },
  async 'sites.get'(call) {
    return { data: await read(call, (tx) => getSite(tx, call.params.site_id)) };
  },
  async 'sites.create'(call) {
    return { data: await change(call, (tx, context) => createSite(tx, context, call.body)) };
  },
  async 'sites.update'(call) {
    return { data: await change(call, (tx, context) => updateSite(tx, context, call.params.site_id, call.body)) };
  },
  async 'sites.delete'(call) {
    await change(call, (tx, context) => deleteSite(tx, context, call.params.site_id));
  },
};
