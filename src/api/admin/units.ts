/** Admin handlers of units of measure. */
import type { unitOperations } from '../../contract/admin/units.ts';
import { createUnit, deleteUnit, getUnit, updateUnit } from '../../domain/catalog/units.ts';
import { listUnits } from '../settings.ts';
import { type AdminHandlers, readTenant, writeTenant } from './handler.ts';

export const unitHandlers: AdminHandlers<typeof unitOperations> = {
  'units.list': async (call) => readTenant(call, (tx) => listUnits(tx, call.query)),
  'units.get': async (call) => ({ data: await readTenant(call, (tx) => getUnit(tx, call.params.unit_id)) }),
  'units.create': async (call) => writeTenant(call, async (tx, context) => ({ data: await createUnit(tx, context, call.body) })),
  'units.update': async (call) =>
    writeTenant(call, async (tx, context) => ({ data: await updateUnit(tx, context, call.params.unit_id, call.body) })),
  async 'units.delete'(call) {
    await writeTenant(call, (tx, context) => deleteUnit(tx, context, call.params.unit_id));
  },
};
