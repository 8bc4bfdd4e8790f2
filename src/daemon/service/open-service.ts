/** The composition root of a service: opens the store of a directory and creates everything that works on it. */
import { randomUUID } from 'node:crypto';
import { ADDRESS_REQUESTS_PER_MIN } from '../../contract/limits.ts';
import { createEndpointTools } from '../../delivery/endpoint-tools.ts';
import type { Resolve } from '../../delivery/target-guard.ts';
import type { StockroomTables } from '../../domain/tables.ts';
import { createAttemptLimiter } from '../../http/attempt-limiter.ts';
import { createServiceMetrics } from '../../http/metrics/service-metrics.ts';
import { createOAuthLimits } from '../../http/oauth/limits.ts';
import { RequestCounts } from '../../http/request-counts.ts';
import { createRateLimiter } from '../../http/rate-limiter.ts';
import type { Service } from '../../http/service.ts';
import { createUsageMeter } from '../../http/usage-meter.ts';
import type { FileStore } from '../../store/file/index.ts';
import { DEFAULT_WEBHOOK_SETTINGS, type WebhookSettings } from '../webhook-settings.ts';
import { createBackgroundRunner } from './background.ts';
import { DeliveryRuntime } from './delivery-runtime.ts';
import { createDatabaseSnapshots } from './database-snapshots.ts';
import { createDemoData } from './demo-data.ts';
import { createDemoReceiver } from './demo-receiver.ts';
import { createFeed } from './feed.ts';
import { type OpenDatabaseOptions, type OpenedStore, type OpenFilesOptions, openDatabase, openFiles } from './open-store.ts';
import { createIdGenerator } from './ordered-ids.ts';
import { publishChanges } from './publish-changes.ts';
import { restoreData } from './restore.ts';
import { startRetention } from './retention.ts';
import { createServiceFaults } from './service-faults.ts';
import { openSnapshotDirectory } from './snapshot-directory.ts';
import { followStoredTiers } from './stored-tiers.ts';
import { createTargetPolicy } from './target-policy.ts';
import { DEFAULT_TIMEOUTS, type ServiceTimeouts } from './timeouts.ts';

export interface ServiceOptions extends Omit<OpenFilesOptions, 'instanceId' | 'newId'> {
  /** Stores the data in PostgreSQL instead of in the directory. */
  readonly database?: Pick<OpenDatabaseOptions, 'url' | 'listenUrl' | 'databaseClock'>;
  /** Requests per minute by tier; they override stored and built-in tiers. */
  readonly tiers?: Readonly<Record<string, number>>;
  readonly webhooks?: Partial<WebhookSettings>;
  /** For tests: instead of DNS. */
  readonly resolve?: Resolve;
  /** For tests: other waits than the defaults. */
  readonly timeouts?: Partial<ServiceTimeouts>;
}

export interface RunningService extends Service, Pick<OpenedStore, 'files' | 'notices'> {
  /** Why the store accepts no writes now; undefined when it does. */
  findStoreProblem(): Promise<string | undefined>;
  /** Starts to send due deliveries; until then they wait. The last step of a start: after it, the service is ready. */
  startDeliveries(): Promise<void>;
  /** Finishes the delivery attempts in progress and starts no more. A second call returns the promise of the first. */
  drainDeliveries(): Promise<void>;
  /** Registers a port on which this service listens: deliveries to it are blocked. */
  addOwnPort(port: number): void;
  /** From now on the service is not ready, but serves requests. */
  beginDraining(): void;
  /** From now on requests are refused with 503; those in progress continue. */
  beginClosing(): void;
  /** Stops timers, drains deliveries, saves usage counters and closes the store. */
  close(): Promise<void>;
}

const USAGE_SAVE_INTERVAL_MS = 5_000;

export async function openService(options: ServiceOptions): Promise<RunningService> {
  const { directory, clock, log, version, tiers = {}, webhooks = {}, resolve } = options;
  const settings = { ...DEFAULT_WEBHOOK_SETTINGS, ...webhooks };
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const instanceId = randomUUID();
  const newId = createIdGenerator();
  const userAgent = `Stockroom-Webhooks/${version}`;

  const feed = createFeed(instanceId);
  let draining: Promise<void> | undefined;
  const common = { instanceId, version, clock, newId, log };
  const onDirectoryLost = (reason: string): void => {
    feed.publish('store', null, { problem: reason });
    options.onDirectoryLost?.(reason);
    // The outcomes of further deliveries could not be recorded.
    setImmediate(() => runInBackground(drainDeliveries));
  };
  const { lockFile, onReplay, database } = options;
  const opened = database
    ? await openDatabase({ ...common, ...database })
    : await openFiles({ ...common, directory, lockFile, onReplay, onDirectoryLost });
  const { store, files, sharedState } = opened;
  const { leases, members, rateWindows } = sharedState;
  let isStarted = false;
  let isDraining = false;
  let closing = false;
  const isClosing = () => closing;
  const runInBackground = createBackgroundRunner(log, isClosing);
  const retention = startRetention({ store, clock, leases, runInBackground });
  const usage = createUsageMeter();
  // Also detects the loss of the directory when nothing is written.
  const saveUsage = async (): Promise<void> => {
    if ((await files?.verifyFiles()) === undefined) await usage.save(store);
  };
  const usageTimer = setInterval(() => runInBackground(saveUsage), USAGE_SAVE_INTERVAL_MS).unref();
  const limiter = createRateLimiter(rateWindows, tiers);
  const storedTiers = await followStoredTiers({ store, limiter, overrides: tiers, runInBackground });
  const metrics = createServiceMetrics(() => opened.getFigures());
  const faults = createServiceFaults(clock, log, feed);
  const { targets, addOwnPort } = createTargetPolicy(settings);
  const deliveries = new DeliveryRuntime({
    store,
    leases,
    clock,
    log,
    feed,
    attempts: metrics.deliveryAttempts,
    faults,
    settings,
    targets,
    userAgent,
    timeouts,
    resolve,
  });
  const stopPublishing = publishChanges(store, feed, (id) => deliveries.isRecording(id));

  const demoReceiver = createDemoReceiver({ store, clock, log });
  let restoring: Promise<void> | undefined;
  const restore = (fileStore: FileStore<StockroomTables>, path: string | undefined): Promise<void> =>
    (restoring = restoreData(
      { store: fileStore, clock, log, usage, tiers: storedTiers, feed, retention, demoReceiver, deliveries, isClosing },
      path,
    ));

  /** A restore replaces the delivery engine, so it is awaited first. */
  const drainAfterRestore = async (): Promise<void> => {
    await restoring?.catch(() => undefined);
    await deliveries.drain();
  };
  const drainDeliveries = (): Promise<void> => (draining ??= drainAfterRestore());

  return {
    store,
    files,
    notices: opened.notices,
    findStoreProblem: () => opened.findProblem(),
    clock,
    log,
    version,
    instanceId,
    newId,
    usage,
    requestCounts: new RequestCounts(),
    metrics,
    limiter,
    members,
    feed,
    faults,
    targets,
    timeouts,
    activeIdempotencyKeys: new Set(),
    oauthLimits: createOAuthLimits(),
    addressRequests: createAttemptLimiter(ADDRESS_REQUESTS_PER_MIN),
    demo: createDemoData({ store, clock, receiver: demoReceiver }),
    deliveries: createEndpointTools({ sender: deliveries.sender, clock, userAgent, timeoutMs: timeouts.endpointCheckMs }),
    snapshots: files
      ? openSnapshotDirectory({ directory, store: files, clock, newId, log, version, restore: (path) => restore(files, path) })
      : createDatabaseSnapshots(),
    readinessConditions: [
      () => (isDraining || closing ? 'stopping' : undefined),
      () => (isStarted ? undefined : 'starting'),
      ...opened.readinessConditions,
    ],
    isClosing,
    async startDeliveries() {
      await demoReceiver.resume();
      await deliveries.start();
      isStarted = true;
    },
    drainDeliveries,
    addOwnPort,
    beginDraining() {
      isDraining = true;
    },
    beginClosing() {
      closing = true;
    },
    async close() {
      closing = true;
      clearInterval(usageTimer);
      storedTiers.stop();
      stopPublishing();
      try {
        await retention.stop();
        await drainDeliveries();
        await demoReceiver.close();
        await saveUsage();
        await sharedState.close();
      } finally {
        await opened.close();
      }
    },
  };
}
