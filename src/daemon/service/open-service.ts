/** The composition root of a service: opens the store of a directory and creates everything that works on it. */
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { buildConnector } from 'undici';
import { ADDRESS_REQUESTS_PER_MIN } from '../../contract/limits.ts';
import { createDocumentReader } from '../../delivery/document-reader.ts';
import { createEndpointTools } from '../../delivery/endpoint-tools.ts';
import type { Resolve } from '../../delivery/target-guard.ts';
import type { Snapshots } from '../../api/admin/handler.ts';
import { TenantStates } from '../../api/admin/tenant-states/tenant-states.ts';
import { type EventRetention, DEFAULT_EVENT_RETENTION } from '../../domain/events/event-log.ts';
import type { FaultOptions } from '../../domain/faults/fault-registry.ts';
import { PASS_TRACES_ON, type Tracing } from '../../domain/kernel/tracing.ts';
import type { NewId } from '../../domain/kernel/ports.ts';
import type { StockroomStore } from '../../domain/tables.ts';
import { createAttemptLimiter } from '../../http/requests/attempt-limiter.ts';
import { createServiceMetrics } from '../../http/metrics/service-metrics.ts';
import { createOAuthLimits } from '../../http/oauth/limits.ts';
import { RequestRecorder } from '../../http/requests/request-recorder.ts';
import { RequestCounts } from '../../http/requests/request-counts.ts';
import { createRateLimiter } from '../../http/requests/rate-limiter.ts';
import type { Service } from '../../http/service.ts';
import type { ContractMode } from '../../platform/daemon-state.ts';
import { DEFAULT_WEBHOOK_SETTINGS, type WebhookSettings } from '../webhook-settings.ts';
import { type RunInBackground, createBackgroundRunner } from './background.ts';
import { createDatabaseSnapshots } from './database-snapshots.ts';
import { createDemoData } from './demo-data.ts';
import { createFeed } from './feed.ts';
import { type OpenDatabaseOptions, type OpenedStore, type OpenFilesOptions, openDatabase, openFiles } from './open-store.ts';
import { createIdGenerator } from './ordered-ids.ts';
import { createServiceFaults } from './service-faults.ts';
import { openSnapshotDirectory } from './snapshot-directory.ts';
import { createTargetPolicy } from './target-policy.ts';
import { DEFAULT_TIMEOUTS, type ServiceTimeouts } from './timeouts.ts';
import { type Workers, startWorkers } from './workers.ts';

export interface ServiceOptions extends Omit<OpenFilesOptions, 'instanceId' | 'newId'> {
  /** Stores the data in PostgreSQL instead of in the directory. */
  readonly database?: Pick<OpenDatabaseOptions, 'url' | 'listenUrl' | 'databaseClock'>;
  /** Requests per minute by tier; they override stored and built-in tiers. */
  readonly tiers?: Readonly<Record<string, number>>;
  /** Record requests with headers and bodies. */
  readonly record?: boolean;
  readonly webhooks?: Partial<WebhookSettings>;
  readonly events?: Partial<EventRetention>;
  /** Faults that are injected at positions, for torture. */
  readonly getFaultPlan?: FaultOptions['getPlan'];
  /** Base URL of a collector that gets spans. */
  readonly otlpEndpoint?: string | undefined;
  /** Default: with the extensions. */
  readonly contract?: ContractMode;
  /** For tests: instead of DNS. */
  readonly resolve?: Resolve;
  /** For tests: instead of connections with TLS. */
  readonly createConnector?: typeof buildConnector;
  /** For tests: other waits than the defaults. */
  readonly timeouts?: Partial<ServiceTimeouts>;
}

export interface RunningService extends Service, Pick<OpenedStore, 'files' | 'notices'> {
  /** Why the store accepts no writes now; undefined when it does. */
  findStoreProblem(): Promise<string | undefined>;
  /** Starts to send due deliveries, once the time is known; until then they wait. The last step of a start: after it, the service is ready. */
  startDeliveries(): Promise<void>;
  /** Finishes the delivery attempts in progress and starts no more. A second call returns the promise of the first. */
  drainDeliveries(): Promise<void>;
  /** Registers a port on which this service listens: deliveries to it are blocked. */
  addOwnPort(port: number): void;
  /** From now on the service is not ready, but serves requests. */
  beginDraining(): void;
  /** From now on requests are rejected with 503; those in progress continue. */
  beginClosing(): void;
  /** Stops timers, drains deliveries, saves usage counters and closes the store. */
  close(): Promise<void>;
}

/** How far the service is between its start and its end. */
interface Phase {
  readonly closing: AbortController;
  /** Not yet while the store is being opened, when the directory can be lost, too. */
  workers?: Workers;
  isStarted: boolean;
  isDraining: boolean;
  isClosing: boolean;
}

/** Limit for all database work of a stop: one second less than requests in progress get. */
const CLOSING_LIMIT_MS = 9_000;

export async function openService(options: ServiceOptions): Promise<RunningService> {
  const { clock, log, version, tiers = {}, resolve, contract } = options;
  const settings = { ...DEFAULT_WEBHOOK_SETTINGS, ...options.webhooks };
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const identity = { instanceId: randomUUID(), newId: createIdGenerator() };
  const eventRetention = { ...DEFAULT_EVENT_RETENTION, ...options.events };
  const userAgent = `Stockroom-Webhooks/${version}`;
  const phase: Phase = { closing: new AbortController(), isStarted: false, isDraining: false, isClosing: false };
  // Every waiting request listens.
  setMaxListeners(0, phase.closing.signal);
  const isClosing = (): boolean => phase.isClosing;
  const runInBackground = createBackgroundRunner(log, isClosing);
  const feed = createFeed(identity.instanceId);
  const opened = await openStore(options, identity, (reason) => {
    feed.publish('store', null, { problem: reason });
    options.onDirectoryLost?.(reason);
    // The outcomes of further deliveries could not be recorded.
    setImmediate(() => runInBackground(async () => phase.workers?.drainDeliveries()));
  });
  const { store, sharedState } = opened;
  const limiter = createRateLimiter(sharedState.rateWindows, tiers);
  const metrics = createServiceMetrics(() => opened.getFigures());
  const faults = createServiceFaults(clock, log, feed, options.getFaultPlan);
  const { targets, addOwnPort, addReceiverPort } = createTargetPolicy(settings);
  const tracing = await openTracing(options);
  const deliveryOptions = { tracing, attempts: metrics.deliveryAttempts, faults, settings, targets, userAgent, timeouts, resolve };
  const requestState = createRequestState(store, options);
  const common = { clock, log, feed, limiter, tiers, runInBackground, isClosing, isStrict: contract === 'strict' };
  const workers = await startWorkers({ ...deliveryOptions, ...common, ...requestState, opened, events: eventRetention, addReceiverPort });
  const { usage, sender, demoReceiver } = (phase.workers = workers);
  return {
    ...identity,
    ...requestState,
    ...createLifecycle({ phase, opened, workers, tracing, runInBackground }),
    store,
    files: opened.files,
    history: opened.history,
    notices: [...opened.notices, ...workers.notices],
    findStoreProblem: () => opened.findProblem(),
    clock,
    log,
    version,
    usage,
    metrics,
    limiter,
    members: sharedState.members,
    leases: sharedState.leases,
    feed,
    faults,
    targets,
    tracing,
    timeouts,
    demo: createDemoData({ store, clock, receiver: demoReceiver }),
    readDocument: createDocumentReader({ targets, version, resolve, createConnector: options.createConnector }),
    deliveries: createEndpointTools({ sender, clock, userAgent, timeoutMs: timeouts.endpointCheckMs }),
    snapshots: openSnapshots(options, opened, identity.newId, workers),
    eventRetention,
    isStrict: common.isStrict,
    isClosing,
    addOwnPort,
  };
}

/** The SDK is loaded only with an endpoint. */
async function openTracing({ otlpEndpoint, version }: ServiceOptions): Promise<Tracing> {
  if (otlpEndpoint === undefined) return PASS_TRACES_ON;
  return (await import('./otlp-tracing.ts')).createOtlpTracing(otlpEndpoint, version);
}

type Identity = Pick<Service, 'instanceId' | 'newId'>;

function openStore(options: ServiceOptions, identity: Identity, onDirectoryLost: (reason: string) => void): Promise<OpenedStore> {
  const { directory, lockFile, onReplay, database, version, clock, log } = options;
  const common = { ...identity, version, clock, log };
  return database ? openDatabase({ ...common, ...database }) : openFiles({ ...common, directory, lockFile, onReplay, onDirectoryLost });
}

function openSnapshots(
  { directory, clock, log, version }: ServiceOptions,
  { files }: OpenedStore,
  newId: NewId,
  workers: Workers,
): Snapshots {
  if (files === undefined) return createDatabaseSnapshots();
  return openSnapshotDirectory({ directory, store: files, clock, newId, log, version, restore: (path) => workers.restore(files, path) });
}

/** What requests share in the memory of this daemon. */
function createRequestState(
  store: StockroomStore,
  { record }: Pick<ServiceOptions, 'record'>,
): Pick<
  Service,
  'recorder' | 'scenarios' | 'tenantStates' | 'requestCounts' | 'activeIdempotencyKeys' | 'oauthLimits' | 'addressRequests'
> {
  return {
    recorder: record ? new RequestRecorder() : undefined,
    scenarios: new Map(),
    tenantStates: new TenantStates(store),
    requestCounts: new RequestCounts(),
    activeIdempotencyKeys: new Set(),
    oauthLimits: createOAuthLimits(),
    addressRequests: createAttemptLimiter(ADDRESS_REQUESTS_PER_MIN),
  };
}

type Lifecycle = Pick<
  RunningService,
  'readinessConditions' | 'startDeliveries' | 'drainDeliveries' | 'beginDraining' | 'beginClosing' | 'closing' | 'close'
>;

interface LifecycleOptions {
  readonly tracing: Tracing;
  readonly phase: Phase;
  readonly opened: OpenedStore;
  readonly workers: Workers;
  readonly runInBackground: RunInBackground;
}

function createLifecycle({ phase, opened, workers, tracing, runInBackground }: LifecycleOptions): Lifecycle {
  const isStopping = (): boolean => phase.isDraining || phase.isClosing;
  const beginClosing = (): void => {
    phase.isClosing = true;
    phase.closing.abort();
    opened.limitClosing(CLOSING_LIMIT_MS);
  };
  return {
    readinessConditions: [
      () => (isStopping() ? 'stopping' : undefined),
      () => (phase.isStarted ? undefined : 'starting'),
      ...opened.readinessConditions,
    ],
    async startDeliveries() {
      const timeKnown = opened.waitForTime();
      if (timeKnown === undefined) await workers.startDeliveries();
      else runInBackground(() => timeKnown.then(() => (isStopping() ? undefined : workers.startDeliveries())));
      phase.isStarted = true;
    },
    drainDeliveries: () => workers.drainDeliveries(),
    beginDraining() {
      phase.isDraining = true;
    },
    beginClosing,
    closing: phase.closing.signal,
    async close() {
      beginClosing();
      try {
        await workers.stop();
        // A collector that does not answer must not keep the service from its end.
        await tracing.close().catch(() => undefined);
        await opened.sharedState.close();
      } finally {
        await opened.close();
      }
    },
  };
}
