/**
 * The composition root of the daemon: starts everything over a data directory whose lock the caller holds, and stops it again.
 *
 * Start: snapshot → store → API server → metrics server → first tenant and key → demo data → admin server, control port → deliveries → state file → ready.
 * Stop:  drain → refuse new requests → drain deliveries → admin server → finish requests in progress → save counters, checkpoint, close the store
 *        → remove the state file. The lock is released when the process ends; that of an ephemeral
 *        daemon with its directory.
 * A kill at any moment needs no cleanup: the store recovers, the operating system releases the lock, and without the lock the state
 * file and the socket have no effect.
 */
import type { Server } from '@hapi/hapi';
import type { Logger } from 'pino';
import { loadJoi } from '../../contract/schema/joi.ts';
import type { DaemonState } from '../../platform/daemon-state.ts';
import { type Env, getAdminSocketPath } from '../../platform/local-paths.ts';
import { removeLeasedTenants } from '../../api/admin/tenant-states/tenant-rows.ts';
import type { ControlAccess } from '../../http/control-server.ts';
import { getClientAddress } from '../../http/forwarded.ts';
import { closeConnectionsAfterResponses } from '../../http/listener.ts';
import { type DaemonConfig, toDaemonOptions } from '../config.ts';
import { explainDiskError } from '../errors.ts';
import { explainDatabaseError } from '../service/database-errors.ts';
import { getStoreUrls } from '../store-address.ts';
import { createFirstTenant } from '../service/bootstrap.ts';
import type { ServiceClock } from '../service/clocks/clock.ts';
import type { RunningService } from '../service/open-service.ts';
import { removeAbandonedDirectories } from '../data-directory/registry.ts';
import { readProcessIdentity } from '../control/process-identity.ts';
import type { Ready } from '../control/start-result.ts';
import { version } from '../package-info.ts';
import { attempt } from './attempt.ts';
import { DaemonDirectory } from './daemon-directory.ts';
import type { DaemonEnvironment } from './daemon-environment.ts';
import { DaemonSteps } from './daemon-steps.ts';
import { createGracefulStop } from './graceful-stop.ts';
import { releaseMemoryOfStart, releaseMemoryWhenIdle } from './release-memory.ts';
import { startAdminServer } from './start-admin-server.ts';
import { type ListeningServer, startApiServer } from './start-api-server.ts';
import { type Listener, startControlServer, startMetricsServer } from './start-listeners.ts';
import { startService } from './start-service.ts';

/** How long requests in progress may take after a stop was requested. */
const SHUTDOWN_GRACE_MS = 10_000;
/** The validator is loaded this long after the start, so that neither the start nor the first invalid request waits for it. */
const LOAD_VALIDATOR_AFTER_MS = 100;

export interface Daemon extends Ready {
  readonly control: ControlAccess | undefined;
  /** Settles when the daemon has stopped; rejects when stopping failed. */
  readonly ended: Promise<void>;
  /** Whether it was asked to stop and still serves requests. */
  readonly isDraining: () => boolean;
  /** Drains, then stops gracefully. A second call ends draining and returns the promise of the first. */
  stop(): Promise<void>;
}

/** Starts everything. When a step fails, it stops what was started and throws. */
export async function runDaemon(config: DaemonConfig, environment: DaemonEnvironment): Promise<Daemon> {
  const { log } = environment;
  const steps = new DaemonSteps(log);
  try {
    return await startSteps(steps, config, environment);
  } catch (error) {
    await steps.stop().catch((failure: unknown) => log.error({ err: failure }, 'cleanup after the failed start was incomplete'));
    const explained = explainDiskError(config.dataDir, error);
    throw config.store === undefined ? explained : explainDatabaseError(getStoreUrls(config.store, environment.env).url, explained);
  }
}

async function startSteps(steps: DaemonSteps, config: DaemonConfig, environment: DaemonEnvironment): Promise<Daemon> {
  const { log, env } = environment;
  const { dataDir } = config;
  const { pid } = process;
  const directory = new DaemonDirectory(config, environment);
  steps.onStop('data directory', () => directory.runIfOwned(() => directory.cleanUp()));
  const { service, clock } = await steps.start({
    name: 'service',
    start: () => startService(config, environment, directory),
    stop: (started) => started.service.close(),
  });
  await releaseMemoryOfStart();
  directory.watch(async () => service.files?.verifyFiles());
  warnOfKill(service, environment);
  const { instanceId } = service;
  const { api, metrics } = await startListeners(steps, service, config, env);
  const { url } = api;
  // After the ports are taken, because the key is lost when the start fails.
  const firstKey = config.hasFixtures ? undefined : await createFirstTenant(service);
  const demo = config.demo ? await service.demo.load() : [];
  logRequests(api.server, log);
  attempt(log, 'could not remove the directory of an ephemeral daemon that was killed', () => removeAbandonedDirectories(env));
  const gracefulStop = createGracefulStop({
    // Without its data directory it can only reject changes.
    getDrainSeconds: () => (directory.isLost ? 0 : config.drainSeconds),
    beginDraining: () => {
      service.beginDraining();
      closeConnectionsAfterResponses(api.server.listener);
    },
    shutDown: () => steps.stop(),
    log,
  });
  const { ended, stop } = gracefulStop;
  const control = await startAdmin(steps, service, config, { environment, directory, url, stop });
  steps.onStop('deliveries', () => service.drainDeliveries());
  steps.onStop('requests', () => service.beginClosing());
  await service.startDeliveries();

  // Nothing waits for it.
  if (service.files)
    void removeLeasedTenants(service.store).catch((error: unknown) => log.warn({ err: error }, 'could not remove leased tenants'));
  directory.writeState(toState(service, clock, config, { api, metrics, control }));
  await steps.start({ name: 'clock', start: () => watchClock(clock, config, directory, log), stop: (unsubscribe) => unsubscribe() });
  directory.register();
  const notices = [api.notice, ...service.notices, ...listWarnings(config, api.port)].filter((text) => text !== undefined);
  for (const text of notices) log.warn(text);
  const ports = { ...(metrics && { metrics: metrics.url }), ...(control && { control: control.url }) };
  log.info({ url, host: config.host, pid, dataDir, version, instanceId, ...ports }, 'ready');
  setTimeout(loadJoi, LOAD_VALIDATOR_AFTER_MS).unref();
  await steps.start({ name: 'release of memory', start: () => releaseMemoryWhenIdle(), stop: (end) => end() });
  if (firstKey) log.info({ tenant: firstKey.tenant, prefix: firstKey.prefix }, 'created the first tenant and a key with every scope');
  const status = { status: 'running', url, pid, dataDir, version, instanceId, ...(control && { controlUrl: control.url }) } as const;
  return { status, notices, firstKey, demo, control, ended, isDraining: () => gracefulStop.isDraining, stop };
}

interface Listeners {
  readonly api: ListeningServer;
  readonly metrics: Listener | undefined;
}

/** Starts the servers for clients. Deliveries to their ports are blocked. */
async function startListeners(steps: DaemonSteps, service: RunningService, config: DaemonConfig, env: Env): Promise<Listeners> {
  const api = await steps.start({
    name: 'API server',
    start: () => startApiServer(service, config, env),
    stop: ({ server }) => server.stop({ timeout: SHUTDOWN_GRACE_MS }),
  });
  service.addOwnPort(api.port);
  await service.members.setUrl(api.url);
  const metrics = await steps.start({
    name: 'metrics server',
    start: () => startMetricsServer(service, config, env),
    stop: (server) => server?.close(),
  });
  if (metrics) service.addOwnPort(metrics.port);
  return { api, metrics };
}

function warnOfKill({ files }: RunningService, { lock: { killed }, log }: DaemonEnvironment): void {
  if (killed === undefined) return;
  const { pid, startTime } = killed;
  const { journalBytes } = files?.getStats() ?? {};
  log.warn({ pid, startTime, journalBytes }, 'the last daemon did not stop but was killed; its journal was replayed');
}

interface AdminParts {
  readonly environment: DaemonEnvironment;
  readonly directory: DaemonDirectory;
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** Starts the admin API on its socket and, if that is configured, on the control port. */
async function startAdmin(
  steps: DaemonSteps,
  service: RunningService,
  config: DaemonConfig,
  { environment, directory, url, stop }: AdminParts,
): Promise<(Listener & ControlAccess) | undefined> {
  const options = {
    // Called after the reply was sent. The daemon's `ended` reports errors.
    shutdown: () => void stop().catch(() => undefined),
    url,
    consoleUrl: getConsoleUrl(config, url),
    dataDir: config.dataDir,
    logFile: environment.logFile ?? null,
    getJournalBytes: () => service.files?.getStats().journalBytes ?? 0,
    findStoreProblem: () => service.findStoreProblem(),
  };
  await steps.start({
    name: 'admin server',
    start: () => startAdminServer(service, config.dataDir, options),
    stop: (server) => stopAdminServer(server, config, directory),
  });
  const control = await steps.start({
    name: 'control port',
    start: () => startControlServer(service, config, environment.env, options),
    stop: (server) => server?.close(),
  });
  if (control) service.addOwnPort(control.port);
  return control;
}

async function stopAdminServer(server: Server, { ephemeral }: DaemonConfig, directory: DaemonDirectory): Promise<void> {
  const stopServer = (): Promise<void> => server.stop({ timeout: SHUTDOWN_GRACE_MS });
  // Stopping removes the socket, so a daemon that has lost its directory listens until its process exits.
  await (ephemeral ? stopServer() : directory.runIfOwned(stopServer));
}

function toState(
  { instanceId }: RunningService,
  clock: ServiceClock,
  config: DaemonConfig,
  { api: { url, port }, metrics, control }: Listeners & { readonly control: Listener | undefined },
): DaemonState {
  const { dataDir } = config;
  const { pid } = process;
  const processIdentity = readProcessIdentity(pid);
  return {
    pid,
    ...(processIdentity !== undefined && { processIdentity }),
    startTime: new Date().toISOString(),
    instanceId,
    url,
    version,
    dataDir,
    adminSocket: getAdminSocketPath(dataDir),
    ...(metrics && { metricsUrl: metrics.url }),
    ...(control && { controlUrl: control.url }),
    options: {
      ...toDaemonOptions(config, port, { metricsPort: metrics?.port, controlPort: control?.port }),
      ...(config.testClock ? { clockOffsetSeconds: clock.offsetSeconds } : {}),
    },
  };
}

function watchClock(clock: ServiceClock, { testClock }: DaemonConfig, directory: DaemonDirectory, log: Logger): () => void {
  return clock.onChange(() => {
    if (testClock) directory.saveClockOffset(clock.offsetSeconds);
    else log.warn({ now: clock.now() }, 'the system clock went back by more than an hour, and the time of the service with it');
  });
}

/** Only at debug level; at other levels requests are not measured at all. */
function logRequests(server: Server, log: Logger): void {
  if (!log.isLevelEnabled('debug')) return;
  server.events.on('response', ({ app, method, path, response, info }) => {
    const status = response instanceof Error ? response.output.statusCode : response.statusCode;
    const address = getClientAddress({ app, info });
    log.debug({ requestId: app.requestId, address, method, path, status, ms: info.completed - info.received }, 'request');
  });
}

function listWarnings({ insecure, host }: DaemonConfig, port: number): string[] {
  if (!insecure) return [];
  return [`Listening on ${host}, port ${String(port)}: other machines may be able to connect, and API keys are sent unencrypted.`];
}

const getConsoleUrl = ({ console: hasConsole, publicUrl }: DaemonConfig, url: string): string | null =>
  hasConsole ? `${publicUrl ?? url}/console` : null;
