/** Opens the service on the data directory or on the database. */
import { SnapshotUnusable, StoreDamaged, StoreTooNew } from '../../store/file/index.ts';
import type { DaemonConfig } from '../config.ts';
import { DaemonError } from '../errors.ts';
import { version } from '../package-info.ts';
import { type ServiceClock, createRealClock, createTestClock } from '../service/clocks/clock.ts';
import { createDatabaseClock } from '../service/clocks/database-clock.ts';
import { type RunningService, openService } from '../service/open-service.ts';
import { installSnapshot } from '../service/snapshot-directory.ts';
import { getStoreUrls } from '../store-address.ts';
import type { DaemonDirectory } from './daemon-directory.ts';
import type { DaemonEnvironment } from './daemon-environment.ts';
import { limitHeapGrowth } from './limit-heap.ts';

export async function startService(
  config: DaemonConfig,
  { lock, log, env, onReplay }: DaemonEnvironment,
  directory: DaemonDirectory,
): Promise<{ readonly service: RunningService; readonly clock: ServiceClock }> {
  const { dataDir, store } = config;
  if (config.snapshot !== undefined) await installSnapshot(dataDir, config.snapshot).catch(explainStoreError);
  if (store !== undefined) limitHeapGrowth();
  const databaseClock = createDatabaseClock();
  const realClock = () => (store === undefined ? createRealClock() : createRealClock(databaseClock.source));
  const clock = config.testClock ? createTestClock(config.clockOffsetSeconds) : realClock();
  const service = await openService({
    directory: dataDir,
    lockFile: lock.file,
    onDirectoryLost: (reason) => directory.recordLoss(reason),
    onReplay,
    ...(store === undefined ? {} : { database: { ...getStoreUrls(store, env), databaseClock } }),
    clock,
    log,
    version,
    tiers: config.tiers,
    record: config.record,
    webhooks: config.webhooks,
    events: config.events,
    otlpEndpoint: config.otlpEndpoint,
    contract: config.contract,
  }).catch(explainStoreError);
  return { service, clock };
}

function explainStoreError(cause: unknown): never {
  if (cause instanceof SnapshotUnusable) throw new DaemonError('DATA_DIRECTORY', cause.message, { cause });
  if (cause instanceof StoreDamaged || cause instanceof StoreTooNew)
    throw new DaemonError('DATA_DIRECTORY', cause.message, {
      hint: 'Restore a snapshot with `stockroom daemon start --snapshot NAME`; snapshots are in the folder snapshots of the data directory',
      cause,
    });
  throw cause;
}
