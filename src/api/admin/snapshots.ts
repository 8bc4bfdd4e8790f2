import type { snapshotOperations } from '../../contract/admin/snapshots.ts';
import { StockroomError } from '../../domain/errors.ts';
import type { AdminHandlers, Plane } from './call.ts';

export const snapshotHandlers: AdminHandlers<typeof snapshotOperations> = {
  async 'snapshot.list'({ plane }) {
    return { data: await plane.snapshots.list() };
  },
  async 'snapshot.save'({ plane, body: { name, replace } }) {
    // What was counted until now belongs to what is saved.
    await plane.saveCounters();
    return { data: await plane.snapshots.save(name, { replace }) };
  },
  async 'snapshot.load'({ plane, params: { name } }) {
    refuseWhileSeeding(plane);
    return { data: await plane.snapshots.load(name) };
  },
  async 'snapshot.delete'({ plane, params: { name } }) {
    return { data: await plane.snapshots.remove(name) };
  },
  async 'data.reset'({ plane, body: { to } }) {
    refuseWhileSeeding(plane);
    if (to !== undefined) return { data: { snapshot: await plane.snapshots.load(to) }, firstKey: null };
    return { data: { snapshot: null }, firstKey: (await plane.snapshots.reset()) ?? null };
  },
};

/** Rows that are still to come would end up among other data. */
function refuseWhileSeeding({ demo }: Plane): void {
  if (demo.seedProgress().status === 'running')
    throw new StockroomError('INVALID_STATE', 'Rows are being generated; wait until that is done.');
}
