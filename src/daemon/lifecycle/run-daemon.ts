/**
 * The composition root of the daemon: starts everything over a data directory whose lock the caller holds, and stops it again.
 *
 * Start: snapshot → store → API server → metrics server → first tenant and key → demo data → admin server → deliveries → state file → ready.
 * Stop:  drain → refuse new requests → drain deliveries → admin server → finish requests in progress → save counters, checkpoint, close the store
 *        → remove the state file. The lock is released when the process ends; that of an ephemeral
 *        daemon with its directory.
 * A kill at any moment needs no cleanup: the store recovers, the operating system releases the lock, and without the lock the state
 * file and the socket have no effect.
 */
import { rmSync } from 'node:fs';
import type { Logger } from 'pino';
import { loadJoi } from '../../contract/schema/joi.ts';
import type { DaemonState, ReplayProgress } from '../../contract/daemon-state.ts';
import { type Env, getAdminSocketPath } from '../../contract/local-paths.ts';
import { createAdminServer } from '../../http/admin-server.ts';
import { getClientAddress } from '../../http/forwarded.ts';
import { closeConnectionsAfterResponses } from '../../http/listener.ts';
import { SnapshotUnusable, StoreDamaged, StoreTooNew } from '../../store/file/index.ts';
import { createRealClock, createTestClock } from '../service/clock.ts';
import { type DaemonConfig, toDaemonOptions } from '../config.ts';
import { DaemonError, explainDiskError } from '../errors.ts';
import { getStoreUrls } from '../store-address.ts';
import { createDatabaseClock } from '../service/database-clock.ts';
import { createFirstTenant } from '../service/bootstrap.ts';
import { startApiServer } from './start-api-server.ts';
import { startMetricsServer } from './start-metrics-server.ts';
import { removeAbandonedDirectories } from '../data-directory/abandoned-directories.ts';
import { prepareSocketDirectory, removeStaleSocket } from '../data-directory/admin-socket.ts';
import { type DataDirectoryLock, isLockFileInPlace } from '../data-directory/lock.ts';
import type { Ready } from '../control/start-result.ts';
import { recordLostDaemon } from '../control/lost-daemons.ts';
import { registerDataDirectory, unregisterDataDirectory } from '../data-directory/registry.ts';
import { removeStateFile, writeStateFile } from '../data-directory/state-file.ts';
import { CleanupStack } from './cleanup-stack.ts';
import { createGracefulStop } from './graceful-stop.ts';
import { limitHeapGrowth } from './limit-heap.ts';
import { releaseMemoryWhenIdle } from './release-memory.ts';
import { openService } from '../service/open-service.ts';
import { installSnapshot } from '../service/snapshot-directory.ts';
import { version } from '../package-info.ts';

/** How long requests in progress may take after a stop was requested. */
const SHUTDOWN_GRACE_MS = 10_000;
/** The validator is loaded this long after the start, so that neither the start nor the first invalid request waits for it. */
const LOAD_VALIDATOR_AFTER_MS = 100;

export interface DaemonEnvironment {
  /** Held until the process ends: when another process can take the lock, this one is gone. */
  readonly lock: DataDirectoryLock;
  readonly log: Logger;
  /** Where `log` writes; undefined if that is stderr. */
  readonly logFile?: string | undefined;
  readonly env: Env;
  /** Called about twice a second while the start replays the journal for more than a second. */
  readonly onReplay?: ((progress: ReplayProgress) => void) | undefined;
}

export interface Daemon extends Ready {
  /** Settles when the daemon has stopped; rejects when stopping failed. */
  readonly ended: Promise<void>;
  /** Whether it was asked to stop and still serves requests. */
  readonly isDraining: () => boolean;
  /** Drains, then stops gracefully. A second call ends draining and returns the promise of the first. */
  stop(): Promise<void>;
}

/** Starts everything. When a step fails, it stops what was started and throws. */
export async function runDaemon(config: DaemonConfig, { lock, log, logFile, env, onReplay }: DaemonEnvironment): Promise<Daemon> {
  const { dataDir } = config;
  const cleanup = new CleanupStack();
  let beginDraining = (): void => undefined;
  let isLost = false;
  const gracefulStop = createGracefulStop({
    // Without its data directory it can only reject changes.
    getDrainSeconds: () => (isLost ? 0 : config.drainSeconds),
    beginDraining: () => beginDraining(),
    shutDown: () => cleanup.unwind(),
    log,
  });

  let verifyFiles = (): Promise<string | undefined> => Promise.resolve(undefined);
  /** Runs work on files of the data directory, unless that was deleted or replaced: then they may be those of another daemon. */
  const runIfOwned = (work: () => unknown) => async (): Promise<void> => {
    if ((await verifyFiles()) === undefined) await work();
  };
  const cleanUpDirectory = (): void => {
    removeStateFile(dataDir);
    if (!config.ephemeral) return;
    unregisterDataDirectory(env, dataDir);
    lock.release();
    rmSync(dataDir, { recursive: true, force: true });
  };
  cleanup.push(runIfOwned(cleanUpDirectory));
  try {
    if (config.snapshot !== undefined) await installSnapshot(dataDir, config.snapshot).catch(explainStoreError);
    if (config.store !== undefined) limitHeapGrowth();
    const databaseClock = createDatabaseClock();
    const realClock = () => (config.store === undefined ? createRealClock() : createRealClock(databaseClock.source));
    const clock = config.testClock ? createTestClock(config.clockOffsetSeconds) : realClock();
    let recordLoss = (_reason: string): void => undefined;
    const service = await openService({
      directory: dataDir,
      lockFile: lock.file,
      onDirectoryLost: (reason) => recordLoss(reason),
      onReplay,
      ...(config.store === undefined ? {} : { database: { ...getStoreUrls(config.store, env), databaseClock } }),
      clock,
      log,
      version,
      tiers: config.tiers,
      webhooks: config.webhooks,
    }).catch(explainStoreError);
    verifyFiles = async () => service.files?.verifyFiles();
    cleanup.push(() => service.close());
    const { server, url, port, notice } = await startApiServer(service, config, env);
    cleanup.push(() => server.stop({ timeout: SHUTDOWN_GRACE_MS }));
    service.addOwnPort(port);
    await service.members.setUrl(url);
    beginDraining = () => {
      service.beginDraining();
      closeConnectionsAfterResponses(server.listener);
    };
    const metrics = await startMetricsServer(service, config, env);
    if (metrics) {
      cleanup.push(() => metrics.close());
      service.addOwnPort(metrics.port);
    }
    // After the ports are taken, because the key is lost when the start fails.
    const firstKey = await createFirstTenant(service);
    const demo = config.demo ? await service.demo.load() : [];
    logRequests(server, log);
    attempt(log, 'could not remove the directory of an ephemeral daemon that was killed', () => removeAbandonedDirectories(env));
    const adminSocket = getAdminSocketPath(dataDir);
    prepareSocketDirectory(adminSocket, dataDir);
    removeStaleSocket(adminSocket);
    // The admin server calls this after its reply was sent. Errors are reported by `ended`.
    const shutdown = (): void => void gracefulStop.stop().catch(() => undefined);
    const admin = createAdminServer(service, {
      socketPath: adminSocket,
      shutdown,
      url,
      dataDir,
      logFile: logFile ?? null,
      journalBytes: () => service.files?.getStats().journalBytes ?? 0,
      findStoreProblem: () => service.findStoreProblem(),
    });
    await admin.start();
    const stopAdmin = () => admin.stop({ timeout: SHUTDOWN_GRACE_MS });
    // Stopping removes the socket, so a daemon that has lost its directory listens until its process exits.
    cleanup.push(config.ephemeral ? stopAdmin : runIfOwned(stopAdmin));
    cleanup.push(() => service.drainDeliveries());
    cleanup.push(() => service.beginClosing());
    await service.startDeliveries();

    const { instanceId } = service;
    const { pid } = process;
    const state: DaemonState = {
      pid,
      startTime: new Date().toISOString(),
      instanceId,
      url,
      version,
      dataDir,
      adminSocket,
      ...(metrics && { metricsUrl: metrics.url }),
      options: {
        ...toDaemonOptions(config, port, metrics?.port),
        ...(config.testClock ? { clockOffsetSeconds: clock.offsetSeconds } : {}),
      },
    };
    recordLoss = (reason) => {
      // Its state file may be gone.
      attempt(log, 'could not record the loss of the data directory; `stockroom daemon status` will not show it', () =>
        recordLostDaemon(env, { dataDir, pid, url, instanceId, reason }),
      );
      isLost = true;
    };
    writeStateFile(state);
    // A restart continues with the same offset of the test clock.
    const saveClockOffset = (): void => {
      if (!isLockFileInPlace(lock)) return;
      writeStateFile({ ...state, options: { ...state.options, clockOffsetSeconds: clock.offsetSeconds } });
    };
    cleanup.push(
      clock.onChange(() => {
        if (config.testClock) saveClockOffset();
        else log.warn({ now: clock.now() }, 'the system clock went back by more than an hour, and the time of the service with it');
      }),
    );
    const notices = [notice, ...service.notices, ...listWarnings(config, port)].filter((text) => text !== undefined);
    attempt(log, 'could not register this daemon; `stockroom daemon list` will not show it', () => registerDataDirectory(env, dataDir));
    for (const text of notices) log.warn(text);
    log.info({ url, host: config.host, pid, dataDir, version, instanceId, ...(metrics && { metrics: metrics.url }) }, 'ready');
    setTimeout(loadJoi, LOAD_VALIDATOR_AFTER_MS).unref();
    cleanup.push(releaseMemoryWhenIdle());
    if (firstKey) log.info({ tenant: firstKey.tenant, prefix: firstKey.prefix }, 'created the first tenant and a key with every scope');
    const status = { status: 'running', url, pid, dataDir, version, instanceId } as const;
    const { ended, stop } = gracefulStop;
    return { status, notices, firstKey, demo, ended, isDraining: () => gracefulStop.isDraining, stop };
  } catch (error) {
    await cleanup.unwind().catch((failure: unknown) => log.error({ err: failure }, 'cleanup after the failed start was incomplete'));
    throw explainDiskError(dataDir, error);
  }
}

/** Only at debug level; at other levels requests are not measured at all. */
function logRequests(server: Awaited<ReturnType<typeof startApiServer>>['server'], log: Logger): void {
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

/** Runs work without which the daemon works, too. */
function attempt(log: Logger, failure: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    log.warn({ err: error }, failure);
  }
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
