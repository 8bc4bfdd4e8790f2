/** Admin handlers of snapshots and data reset. */
import type { snapshotOperations } from '../../contract/admin/snapshots.ts';
import { StockroomError } from '../../domain/kernel/errors.ts';
import type { AdminHandlers, AdminServices } from './handler.ts';

export const snapshotHandlers: AdminHandlers<typeof snapshotOperations> = {
  'snapshot.list': async ({ services }) => ({ data: await services.snapshots.list() }),
  async 'snapshot.save'({ services, body: { name, replace } }) {
    // The snapshot includes requests counted up to now.
    await services.flushCounters();
    return { data: await services.snapshots.save(name, { replace }) };
  },
  async 'snapshot.load'({ services, params: { name } }) {
    checkNotSeeding(services);
    return { data: await services.snapshots.load(name) };
  },
  'snapshot.delete': async ({ services, params: { name } }) => ({ data: await services.snapshots.remove(name) }),
  async 'data.reset'({ services, body: { to } }) {
    checkNotSeeding(services);
    if (to !== undefined) return { data: { snapshot: await services.snapshots.load(to) }, firstKey: null };
    return { data: { snapshot: null }, firstKey: (await services.snapshots.reset()) ?? null };
  },
};

/** Rows still being generated would end up in the restored data. */
function checkNotSeeding({ demo }: AdminServices): void {
  if (demo.getSeedProgress().status === 'running')
    throw new StockroomError('INVALID_STATE', 'Rows are being generated. Wait for that to finish.');
}
