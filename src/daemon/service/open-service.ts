/** The composition root of a service: opens the store of a directory and creates everything that works on it. */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { ReplayProgress } from '../../contract/daemon-state.ts';
import { ADDRESS_REQUESTS_PER_MIN } from '../../contract/limits.ts';
import { createEndpointTools } from '../../delivery/endpoint-tools.ts';
import type { Resolve } from '../../delivery/target-guard.ts';
import { tables, type StockroomTables } from '../../domain/tables.ts';
import { createAttemptLimiter } from '../../http/attempt-limiter.ts';
import { createOAuthLimits } from '../../http/oauth/limits.ts';
import { RequestCounts } from '../../http/request-counts.ts';
import { createRateLimiter } from '../../http/rate-limiter.ts';
import type { Service } from '../../http/service.ts';
import { createUsageMeter } from '../../http/usage-meter.ts';
import { type FileIdentity, type FileStore, type Notice, openFileStore } from '../../store/file/index.ts';
import { createLocalState } from '../../store/local-state/index.ts';
import { DEFAULT_WEBHOOK_SETTINGS, type WebhookSettings } from '../webhook-settings.ts';
import { createBackgroundRunner } from './background.ts';
import type { ServiceClock } from './clock.ts';
import { DeliveryRuntime } from './delivery-runtime.ts';
import { createDemoData } from './demo-data.ts';
import { createDemoReceiver } from './demo-receiver.ts';
import { createFeed } from './feed.ts';
import { findLatestTimestamp } from './latest-timestamp.ts';
import { createIdGenerator } from './ordered-ids.ts';
import { publishChanges } from './publish-changes.ts';
import { restoreData } from './restore.ts';
import { resumeClock } from './resume-clock.ts';
import { startRetention } from './retention.ts';
import { createServiceFaults } from './service-faults.ts';
import { openSnapshotDirectory } from './snapshot-directory.ts';
import { followStoredTiers } from './stored-tiers.ts';
import { createTargetPolicy } from './target-policy.ts';
import { DEFAULT_TIMEOUTS, type ServiceTimeouts } from './timeouts.ts';

export interface ServiceOptions {
  readonly directory: string;
  /** The file of the lock of the directory: without it, the directory counts as lost. */
  readonly lockFile?: FileIdentity;
  /** Called once when the directory or a file in it was deleted or replaced: from then on changes are rejected. */
  readonly onDirectoryLost?: (reason: string) => void;
  /** Called about twice a second while opening replays the journal for more than a second. */
  readonly onReplay?: ((progress: ReplayProgress) => void) | undefined;
  readonly clock: ServiceClock;
  readonly log: Logger;
  readonly version: string;
  /** Requests per minute by tier; they override stored and built-in tiers. */
  readonly tiers?: Readonly<Record<string, number>>;
  readonly webhooks?: Partial<WebhookSettings>;
  /** For tests: instead of DNS. */
  readonly resolve?: Resolve;
  /** For tests: other waits than the defaults. */
  readonly timeouts?: Partial<ServiceTimeouts>;
}

export interface RunningService extends Service {
  readonly store: FileStore<StockroomTables>;
  /** Warnings for the user who started it, one sentence each. */
  readonly notices: readonly string[];
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
  const tornTails: Notice[] = [];
  const onNotice = (notice: Notice): void => {
    if (notice.kind === 'torn-tail') return void tornTails.push(notice);
    if (notice.kind !== 'directory-lost') return log.warn(notice, 'store');
    log.error(notice, 'store');
    feed.publish('store', null, { problem: notice.message });
    options.onDirectoryLost?.(notice.message);
    // The outcomes of further deliveries could not be recorded.
    setImmediate(() => runInBackground(drainDeliveries));
  };
  const onReplayProgress = (progress: ReplayProgress): void => {
    options.onReplay?.(progress);
    const { replayedBytes, totalBytes, milliseconds } = progress;
    if (replayedBytes === totalBytes) log.info({ bytes: totalBytes, milliseconds }, 'replayed the journal');
  };
  const requiredFiles = options.lockFile ? [options.lockFile] : [];
  const sharedState = createLocalState({ instanceId, version, startedAt: clock.now().toISOString(), hasTestClock: 'advance' in clock });
  const { leases, rateWindows } = sharedState;
  const store = await openFileStore({ directory, tables, requiredFiles, clock, newId, onNotice, onReplayProgress });
  if (tornTails.length > 0) {
    const lastCommitAt = await findLatestTimestamp(store);
    for (const notice of tornTails) log.warn({ ...notice, lastCommitAt }, 'store');
  }
  const clockWarning = await resumeClock(store, clock);
  let isStarted = false;
  let isDraining = false;
  let closing = false;
  const isClosing = () => closing;
  const runInBackground = createBackgroundRunner(log, isClosing);
  const retention = startRetention({ store, clock, leases, runInBackground });
  const usage = createUsageMeter();
  // Also detects the loss of the directory when nothing is written.
  const saveUsage = async (): Promise<void> => {
    if ((await store.verifyFiles()) === undefined) await usage.save(store);
  };
  const usageTimer = setInterval(() => runInBackground(saveUsage), USAGE_SAVE_INTERVAL_MS).unref();
  const limiter = createRateLimiter(rateWindows, tiers);
  const storedTiers = await followStoredTiers({ store, limiter, overrides: tiers, runInBackground });
  const faults = createServiceFaults(clock, log, feed);
  const { targets, addOwnPort } = createTargetPolicy(settings);
  const deliveries = new DeliveryRuntime({ store, leases, clock, log, feed, faults, settings, targets, userAgent, timeouts, resolve });
  const stopPublishing = publishChanges(store, feed, (id) => deliveries.isRecording(id));

  const demoReceiver = createDemoReceiver({ store, clock, log });
  let restoring: Promise<void> | undefined;
  const restore = (path: string | undefined): Promise<void> =>
    (restoring = restoreData({ store, clock, log, usage, tiers: storedTiers, feed, retention, demoReceiver, deliveries, isClosing }, path));

  /** A restore replaces the delivery engine, so it is awaited first. */
  const drainAfterRestore = async (): Promise<void> => {
    await restoring?.catch(() => undefined);
    await deliveries.drain();
  };
  const drainDeliveries = (): Promise<void> => (draining ??= drainAfterRestore());

  return {
    store,
    notices: clockWarning === undefined ? [] : [clockWarning],
    clock,
    log,
    version,
    instanceId,
    newId,
    usage,
    requestCounts: new RequestCounts(),
    limiter,
    feed,
    faults,
    targets,
    requestBodyTimeoutMs: timeouts.requestBodyMs,
    requestHeaderTimeoutMs: timeouts.requestHeaderMs,
    idleConnectionTimeoutMs: timeouts.idleConnectionMs,
    activeIdempotencyKeys: new Set(),
    oauthLimits: createOAuthLimits(),
    addressRequests: createAttemptLimiter(ADDRESS_REQUESTS_PER_MIN),
    demo: createDemoData({ store, clock, receiver: demoReceiver }),
    deliveries: createEndpointTools({ sender: deliveries.sender, clock, userAgent, timeoutMs: timeouts.endpointCheckMs }),
    snapshots: openSnapshotDirectory({ directory, store, clock, newId, log, version, restore }),
    readinessConditions: [
      () => (isDraining || closing ? 'stopping' : undefined),
      () => (isStarted ? undefined : 'starting'),
      () => (store.getStats().unavailableReason === undefined ? undefined : 'store unavailable'),
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
      retention.stop();
      storedTiers.stop();
      stopPublishing();
      try {
        await drainDeliveries();
        await demoReceiver.close();
        await saveUsage();
        await sharedState.close();
      } finally {
        await store.close();
      }
    },
  };
}
