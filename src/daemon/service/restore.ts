import type { Logger } from 'pino';
import { removeLeasedTenants } from '../../api/admin/tenant-states/tenant-rows.ts';
import type { TenantStates } from '../../api/admin/tenant-states/tenant-states.ts';
import type { FeedData } from '../../contract/admin/feed.ts';
import type { StockroomTables } from '../../domain/tables.ts';
import type { Feed } from '../../http/feed.ts';
import type { UsageMeter } from '../../http/requests/usage-meter.ts';
import type { FileStore } from '../../store/file/index.ts';
import type { ServiceClock } from './clocks/clock.ts';
import type { DemoReceiver } from './demo-receiver.ts';
import type { DeliveryRuntime } from './delivery-runtime.ts';
import { resumeClock } from './clocks/resume-clock.ts';
import type { Retention } from './retention.ts';
import { loadTenantClocks } from './stored-clocks.ts';
import type { StoredTiers } from './stored-tiers.ts';

interface RestoreParts {
  readonly store: FileStore<StockroomTables>;
  readonly clock: ServiceClock;
  readonly log: Pick<Logger, 'warn'>;
  readonly usage: UsageMeter;
  readonly tiers: StoredTiers;
  readonly tenantStates: TenantStates;
  readonly feed: Feed;
  readonly retention: Retention;
  readonly demoReceiver: DemoReceiver;
  readonly deliveries: DeliveryRuntime;
  readonly isClosing: () => boolean;
}

/** Replaces all data with a snapshot, or with an empty store when `path` is undefined, and everything in memory that depends on it. */
async function restoreData(parts: RestoreParts, path: string | undefined): Promise<void> {
  const { store, clock, log, usage, tiers, tenantStates, feed, retention, demoReceiver, deliveries, isClosing } = parts;
  let isDrained = false;
  /** Stores what is only in memory, before the store is replaced. */
  const quiesce = async () => {
    isDrained = true;
    await deliveries.drain();
    await usage.save(store);
  };
  try {
    await store.restoreSnapshot(path, quiesce);
    tenantStates.forgetAll();
    // The connections for which a snapshot has copies may have ended.
    await removeLeasedTenants(store);
    const tierWarning = await tiers.reload();
    await loadTenantClocks(store, clock);
    const clockWarning = await resumeClock(store, clock);
    for (const warning of [tierWarning, clockWarning]) if (warning !== undefined) log.warn(warning);
    await demoReceiver.resume();
    // The times in the snapshot are those of the clock that saved it.
    retention.purge();
    // Subscribers have to read everything again.
    feed.publish('gap', null, { dataReplaced: true } satisfies FeedData['gap']);
  } finally {
    if (isDrained) await deliveries.recreate({ isClosing: isClosing() });
  }
}

interface Restorer {
  restore(store: FileStore<StockroomTables>, path: string | undefined): Promise<void>;
  /** Waits for a restore in progress, because it replaces the delivery engine. A second call returns the promise of the first. */
  drainDeliveries(): Promise<void>;
}

export function createRestorer(parts: Omit<RestoreParts, 'store'>): Restorer {
  let restoring: Promise<void> | undefined;
  let draining: Promise<void> | undefined;
  const drain = async (): Promise<void> => {
    await restoring?.catch(() => undefined);
    await parts.deliveries.drain();
  };
  return {
    restore: (store, path) => (restoring = restoreData({ ...parts, store }, path)),
    drainDeliveries: () => (draining ??= drain()),
  };
}
