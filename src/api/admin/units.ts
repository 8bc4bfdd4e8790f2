/** Admin handlers of units of measure. */
import type { unitOperations } from '../../contract/admin/units.ts';
import { createUnit, deleteUnit, getUnit, updateUnit } from '../../domain/catalog/units.ts';
import { listUnits } from '../settings.ts';
import { type AdminHandlers, writeTenantUnkeyed, readTenant, writeTenant } from './handler.ts';

export const unitHandlers: AdminHandlers<typeof unitOperations> = {
  async 'units.list'(call) {
    return readTenant(call, (tx) => listUnits(tx, call.query));
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
    await writeTenantUnkeyed(call, (tx, context) => deleteUnit(tx, context, call.params.unit_id));
  },
};
