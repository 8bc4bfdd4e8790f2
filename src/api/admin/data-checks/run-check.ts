/** Runs one check of a store at a time, also when several daemons share it: the others wait. */
import type { CheckProgress } from '../../../contract/admin/daemon.ts';
import type { Leases } from '../../../domain/kernel/shared-state.ts';
import type { StockroomStore } from '../../../domain/tables.ts';
import type { CheckedRows, DataCheck } from './check-data.ts';

/** By store: the check in progress, and what it checks. */
const running = new WeakMap<StockroomStore, RunningCheck>();

interface RunningCheck {
  readonly subject: string;
  readonly result: Promise<DataCheck>;
  progress: CheckProgress;
}

const IDLE: CheckProgress = { status: 'idle', tenant: null, done: 0, total: 0 };
const LEASE = 'check';

interface CheckedStore {
  readonly store: StockroomStore;
  readonly leases: Leases;
}

/** A request for what is being checked, such as the repetition of one that was not awaited, gets its result. */
export async function runCheck(
  { store, leases }: CheckedStore,
  subject: string,
  check: (onProgress: (rows: CheckedRows) => void) => Promise<DataCheck>,
): Promise<DataCheck> {
  for (let current = running.get(store); current !== undefined; current = running.get(store)) {
    if (current.subject === subject) return current.result;
    await current.result.catch(() => undefined);
  }
  const report = (progress: CheckProgress): void => void Object.assign(started, { progress });
  const run = async (): Promise<DataCheck> => {
    await using _ = await takeLease(leases);
    report({ ...IDLE, status: 'running' });
    return await check((rows) => report({ status: 'running', ...rows }));
  };
  const result = Promise.resolve()
    .then(run)
    .finally(() => running.delete(store));
  const started: RunningCheck = { subject, result, progress: { ...IDLE, status: 'waiting' } };
  running.set(store, started);
  return result;
}

export const getCheckProgress = (store: StockroomStore): CheckProgress => running.get(store)?.progress ?? IDLE;

/** Waits until no other daemon runs a check. If the lease is lost to an interrupted connection, two checks cost more and do no harm. */
async function takeLease(leases: Leases): Promise<AsyncDisposable> {
  const acquired = Promise.withResolvers<void>();
  const group = leases.openGroup('doctor', { onAcquired: () => acquired.resolve(), isBusy: () => true });
  group.setNames([LEASE]);
  if (!group.isOwned(LEASE)) await acquired.promise;
  return { [Symbol.asyncDispose]: () => group.close() };
}
