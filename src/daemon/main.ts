/**
 * The composition root: puts a daemon together over a data directory whose lock it has been given, and takes it apart again.
 *
 * Start: store → first tenant and key → demo → API server → admin server → deliveries → state file → ready.
 * Stop:  refuse new requests → deliveries under way → admin server → answer requests under way → counters, checkpoint, store → state file; the lock goes with the process.
 * A kill at any moment leaves nothing that the next start has to be told about: the store recovers by itself, the lock goes with the
 * process, and state file and socket count for nothing without it.
 */
import { rmSync } from 'node:fs';
import type { Logger } from 'pino';
import type { LoadedDemoTenant } from '../contract/admin/demo.ts';
import type { FirstKey } from '../contract/admin/snapshots.ts';
import { loadJoi } from '../contract/joi.ts';
import { type DaemonState, type DaemonStatus, type Env, adminSocketPath } from '../contract/places.ts';
import { adminServer } from '../http/admin.ts';
import { SnapshotUnusable, StoreDamaged, StoreTooNew } from '../store/file/index.ts';
import { realClock, testClock } from './clock.ts';
import { type DaemonConfig, optionsOf } from './config.ts';
import { DaemonError, explainDisk } from './errors.ts';
import { welcome } from './first.ts';
import { listen } from './listen.ts';
import type { Lock } from './lock.ts';
import { delist, enlist, prepareSocketDirectory, removeLeftovers, removeSocket, removeState, writeState } from './place.ts';
import { openService } from './service.ts';
import { installSnapshot } from './snapshots.ts';
import { version } from './version.ts';

/** How long requests under way may take once the daemon has been asked to stop. */
const GRACE_MS = 10_000;
/** What the first odd request would wait for is loaded so long after everybody has been told that the daemon is ready. */
const WARM_UP_AFTER_MS = 100;

export interface Surroundings {
  /** Kept until the process ends, so that whoever finds the lock free knows that the process has gone as well. */
  readonly lock: Lock;
  readonly log: Logger;
  readonly env: Env;
}

export interface Daemon {
  readonly status: DaemonStatus;
  /** Sentences for whoever started it. */
  readonly notices: readonly string[];
  /** Only at the first start of an empty data directory. */
  readonly firstKey: FirstKey | undefined;
  /** The demo tenants, when they were asked for; with their keys when they are new. */
  readonly demo: readonly LoadedDemoTenant[];
  /** Settles when the daemon has stopped, whoever asked for it. */
  readonly ended: Promise<void>;
  /** Stops gracefully; a second call waits for the first. */
  stop(): Promise<void>;
}

/** Starts everything, or undoes what was started and throws. */
export async function runDaemon(config: DaemonConfig, { lock, log, env }: Surroundings): Promise<Daemon> {
  const { dataDir } = config;
  const undo: (() => unknown)[] = [];
  /** Every step is taken, also after one that failed; the first failure is what the caller hears of. */
  const unwind = async (): Promise<void> => {
    const failures: unknown[] = [];
    for (let step = undo.pop(); step; step = undo.pop()) {
      try {
        await step();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  };
  const end = Promise.withResolvers<void>();
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    if (!stopping) {
      log.info('stopping');
      stopping = unwind().finally(() => log.info('stopped'));
      stopping.then(end.resolve, end.reject);
    }
    return stopping;
  };

  undo.push(() => {
    removeState(dataDir);
    if (!config.ephemeral) return;
    delist(env, dataDir);
    lock.release();
    rmSync(dataDir, { recursive: true, force: true });
  });
  try {
    if (config.snapshot !== undefined) await installSnapshot(dataDir, config.snapshot).catch(explainStore);
    const clock = config.testClock ? testClock(config.clockOffsetSeconds) : realClock();
    const service = await openService({ directory: dataDir, clock, log, version, tiers: config.tiers, webhooks: config.webhooks }).catch(
      explainStore,
    );
    undo.push(() => service.close());
    const firstKey = await welcome(service);
    const demo = config.demo ? await service.demo.load() : [];
    const { server, url, port, notice } = await listen(service, config, env);
    undo.push(() => server.stop({ timeout: GRACE_MS }));
    service.listensOn(port);
    logRequests(server, log);
    tidyUp(env, log);
    const adminSocket = adminSocketPath(dataDir);
    prepareSocketDirectory(adminSocket, dataDir);
    removeSocket(adminSocket);
    // Its own reply must have left before it is stopped: `afterReply` of the plane sees to that, and `unwind` owns the errors.
    const shutdown = (): void => void stop().catch(() => undefined);
    const journalBytes = (): number => service.store.stats().journalBytes;
    const admin = adminServer(service, { socketPath: adminSocket, shutdown, url, dataDir, journalBytes });
    await admin.start();
    undo.push(() => admin.stop({ timeout: GRACE_MS }));
    undo.push(() => service.drainDeliveries());
    undo.push(() => service.beginClosing());
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
      options: { ...optionsOf(config, port), ...(config.testClock ? { clockOffsetSeconds: clock.offsetSeconds } : {}) },
    };
    writeState(state);
    // So that a restart finds the clock where it was.
    undo.push(
      clock.onChange(() => {
        if (config.testClock) writeState({ ...state, options: { ...state.options, clockOffsetSeconds: clock.offsetSeconds } });
        else log.warn({ now: clock.now() }, "the system's clock was put back by more than an hour, and the service's with it");
      }),
    );
    const notices = [notice, ...service.notices, ...warnings(config, url)].filter((text) => text !== undefined);
    keepList(env, dataDir, log);
    for (const text of notices) log.warn(text);
    log.info({ url, pid, dataDir, version, instanceId }, 'ready');
    setTimeout(loadJoi, WARM_UP_AFTER_MS).unref();
    if (firstKey) log.info({ tenant: firstKey.tenant, prefix: firstKey.prefix }, 'made the first tenant and a key with every scope');
    return { status: { status: 'running', url, pid, dataDir, version, instanceId }, notices, firstKey, demo, ended: end.promise, stop };
  } catch (error) {
    await unwind().catch((failure: unknown) => log.error({ err: failure }, 'the failed start left something behind'));
    throw explainDisk(dataDir, error);
  }
}

/** At debug level only: without it a request costs nothing here. */
function logRequests(server: Awaited<ReturnType<typeof listen>>['server'], log: Logger): void {
  if (!log.isLevelEnabled('debug')) return;
  server.events.on('response', ({ app, method, path, response, info }) => {
    const status = response instanceof Error ? response.output.statusCode : response.statusCode;
    log.debug({ requestId: app.requestId, method, path, status, ms: info.completed - info.received }, 'request');
  });
}

function warnings(config: DaemonConfig, url: string): string[] {
  return config.insecure ? [`Others on the network may reach ${url}, and keys travel unencrypted.`] : [];
}

/** Nobody suffers when this fails. */
function tidyUp(env: Env, log: Logger): void {
  try {
    removeLeftovers(env);
  } catch (error) {
    log.warn({ err: error }, 'the directory of a killed ephemeral daemon is still there');
  }
}

/** Only `daemon list` suffers when this fails. */
function keepList(env: Env, dataDir: string, log: Logger): void {
  try {
    enlist(env, dataDir);
  } catch (error) {
    log.warn({ err: error }, '`daemon list` will not show this daemon');
  }
}

function explainStore(cause: unknown): never {
  if (cause instanceof SnapshotUnusable) throw new DaemonError('data_directory', cause.message, { cause });
  if (cause instanceof StoreDamaged || cause instanceof StoreTooNew)
    throw new DaemonError('data_directory', cause.message, {
      hint: 'to begin from a snapshot: `stockroom daemon start --snapshot NAME`; they lie in the folder snapshots of the data directory',
      cause,
    });
  throw cause;
}
