/** What the daemons of one database share besides the data. */
import type { Member, SharedState } from '../../../domain/kernel/shared-state.ts';
import type { Database } from '../database.ts';
import { createDatabaseLeases } from './leases.ts';
import { joinMembers } from './members.ts';
import { createDatabaseRateWindows } from './rate-windows.ts';

interface DatabaseStateOptions {
  readonly database: Database;
  readonly self: Pick<Member, 'instanceId' | 'version' | 'hasTestClock'>;
  /** Called with errors of background work, which is repeated; at most once a minute. */
  readonly onError: (error: unknown) => void;
  /** For tests: another lifetime of leases than the default. */
  readonly leaseLifetimeMs?: number;
}

/** While the database does not answer, each of several timers fails every few seconds. */
const REPORT_INTERVAL_MS = 60_000;

function limitReports(report: (error: unknown) => void): (error: unknown) => void {
  let nextAt = 0;
  return (error) => {
    if (performance.now() < nextAt) return;
    nextAt = performance.now() + REPORT_INTERVAL_MS;
    report(error);
  };
}

/** Joins the daemons of the database. Throws `TestClockConflict` if this daemon or a live one has a test clock. */
export async function openDatabaseState(options: DatabaseStateOptions): Promise<SharedState> {
  const { database, self, leaseLifetimeMs } = options;
  const onError = limitReports(options.onError);
  const members = await joinMembers({ database, self, onError });
  const rateWindows = createDatabaseRateWindows(database);
  return {
    rateWindows,
    leases: createDatabaseLeases({
      database,
      instanceId: self.instanceId,
      onError,
      ...(leaseLifetimeMs === undefined ? {} : { lifetimeMs: leaseLifetimeMs }),
    }),
    members,
    async close() {
      rateWindows.close();
      // Otherwise it counts as live for some seconds more.
      await members.leave().catch(onError);
    },
  };
}
