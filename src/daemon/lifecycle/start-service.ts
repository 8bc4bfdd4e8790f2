/** Opens the service on the data directory or on the database. */
import { SnapshotUnusable, StoreDamaged, StoreTooNew } from '../../store/file/index.ts';
import type { DaemonConfig } from '../config.ts';
import { DaemonError } from '../errors.ts';
import { version } from '../package-info.ts';
import { type ServiceClock, createRealClock, createTestClock } from '../service/clocks/clock.ts';
import { createDatabaseClock } from '../service/clocks/database-clock.ts';
import { type RunningService, openService } from '../service/open-service.ts';
import { describeSnapshots, installSnapshot } from '../service/snapshot-directory.ts';
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
  if (config.snapshot !== undefined) await installSnapshot(dataDir, config.snapshot).catch(explainStoreError(dataDir));
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
  }).catch(explainStoreError(dataDir));
  return { service, clock };
}

const explainStoreError =
  (dataDir: string) =>
  async (cause: unknown): Promise<never> => {
    const isDamaged = cause instanceof StoreDamaged || cause instanceof StoreTooNew;
    if (!isDamaged && !(cause instanceof SnapshotUnusable)) throw cause;
    const { text, isEmpty } = await describeSnapshots(dataDir);
    const nextStep = isEmpty
      ? 'Restore a backup of the directory, or start with another one: --data-dir'
      : 'Restore one with `stockroom daemon start --snapshot NAME`';
    const hint = isDamaged ? `${text}. ${nextStep}` : text;
    throw new DaemonError('DATA_DIRECTORY', cause.message, { hint, cause });
  };
