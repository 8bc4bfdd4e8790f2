/** Admin handlers of units of measure. */
import type { unitOperations } from '../../contract/admin/units.ts';
import { createUnit, deleteUnit, getUnit, updateUnit } from '../../domain/catalog/units.ts';
import { whereEquals, toPageQuery, toPagination } from '../pagination.ts';
import { type AdminHandlers, changeTenant, readTenant, writeTenant } from './handler.ts';

export const unitHandlers: AdminHandlers<typeof unitOperations> = {
  async 'units.list'(call) {
    const { query } = call;
    const { rows, total } = await readTenant(call, (tx) =>
      tx.units.listPage(toPageQuery(query, [whereEquals('isActive', query.is_active)])),
    );
    return { data: rows, pagination: toPagination(query, total) };
  },
  async 'units.get'(call) {
    return { data: await readTenant(call, (tx) => getUnit(tx, call.params.unit_id)) };
  },
  async 'units.create'(call) {
    return writeTenant(call, async (tx, context) => ({ data: await createUnit(tx, context, call.body) }));
  },
  async 'units.update'(call) {
    return writeTenant(call, async (tx, context) => ({ data: await updateUnit(tx, context, call.params.unit_id, call.body) }));
  },
  async 'units.delete'(call) {
    await changeTenant(call, (tx, context) => deleteUnit(tx, context, call.params.unit_id));
  },
};
