import type { unitOperations } from '../../contract/admin/units.ts';
import { createUnit, deleteUnit, getUnit, updateUnit } from '../../domain/units-settings.ts';
import { equal, pageQuery, paginationOf } from '../lists.ts';
import { type AdminHandlers, change, read } from './call.ts';

export const unitHandlers: AdminHandlers<typeof unitOperations> = {
  async 'units.list'(call) {
    const { query } = call;
    const { rows, total } = await read(call, (tx) => tx.units.page(pageQuery(query, [equal('isActive', query.is_active)])));
    return { data: rows, pagination: paginationOf(query, total) };
  },
  async 'units.get'(call) {
    return { data: await read(call, (tx) => getUnit(tx, call.params.unit_id)) };
  },
  async 'units.create'(call) {
    return { data: await change(call, (tx, context) => createUnit(tx, context, call.body)) };
  },
  async 'units.update'(call) {
    return { data: await change(call, (tx, context) => updateUnit(tx, context, call.params.unit_id, call.body)) };
  },
  async 'units.delete'(call) {
    await change(call, (tx, context) => deleteUnit(tx, context, call.params.unit_id));
  },
};
