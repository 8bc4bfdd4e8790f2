/** Opens the store of a service: the file store of its directory, or a PostgreSQL database that it shares with other daemons. */
import type { Logger } from 'pino';
import type { ReplayProgress } from '../../platform/daemon-state.ts';
import type { StoreHistory } from '../../api/admin/handler.ts';
import type { NewId } from '../../domain/kernel/ports.ts';
import type { Members, SharedState } from '../../domain/kernel/shared-state.ts';
import { type StockroomStore, type StockroomTables, tables } from '../../domain/tables.ts';
import type { StoreFigures } from '../../http/metrics/service-metrics.ts';
import type { ReadinessCondition } from '../../http/service.ts';
import { type FileIdentity, type FileStore, type Notice, openFileStore } from '../../store/file/index.ts';
import { createLocalState } from '../../store/local-state/index.ts';
import { assertCopyIsComplete } from '../data-directory/unfinished-copy.ts';
import { DaemonError } from '../errors.ts';
import type { ServiceClock } from './clocks/clock.ts';
import { type DatabaseClock, MAX_CLOCK_STEP_MS } from './clocks/database-clock.ts';
import { explainDatabaseError } from './database-errors.ts';
import { explainFutureChange, findLatestTimestamp, resumeClock } from './clocks/resume-clock.ts';
import { loadTenantClocks } from './stored-clocks.ts';

export interface OpenedStore {
  readonly store: StockroomStore;
  /** The file store, which has files to lose, to measure and to copy to snapshots; undefined for PostgreSQL. */
  readonly files: FileStore<StockroomTables> | undefined;
  readonly sharedState: SharedState;
  readonly history: StoreHistory;
  /** Warnings for the user who started the service, one sentence each. */
  readonly notices: readonly string[];
  /** Why the store accepts no writes now; undefined when it does. */
  findProblem(): Promise<string | undefined>;
  /** Resolves when the time is known, before which nothing may be sent that is dated; undefined when it is. */
  waitForTime(): Promise<void> | undefined;
  /** Why the service should get no requests now, each undefined when it should. */
  readonly readinessConditions: readonly ReadinessCondition[];
  /** For the metrics. */
  getFigures(): StoreFigures;
  /** From so many milliseconds on, calls that wait for a store elsewhere are rejected, so that closing ends. */
  limitClosing(milliseconds: number): void;
  close(): Promise<void>;
}

export interface OpenStoreOptions {
  readonly instanceId: string;
  readonly version: string;
  readonly clock: ServiceClock;
  readonly newId: NewId;
  readonly log: Logger;
}

export interface OpenFilesOptions extends OpenStoreOptions {
  readonly directory: string;
  /** The file of the lock of the directory: without it, the directory counts as lost. */
  readonly lockFile?: FileIdentity | undefined;
  /** Called once when the directory or a file in it was deleted or replaced: from then on changes are rejected. */
  readonly onDirectoryLost?: (reason: string) => void;
  /** Called about twice a second while opening replays the journal for more than a second. */
  readonly onReplay?: ((progress: ReplayProgress) => void) | undefined;
}

export async function openFiles(options: OpenFilesOptions): Promise<OpenedStore> {
  const { directory, lockFile, clock, newId, log } = options;
  const tornTails: Notice[] = [];
  const onNotice = (notice: Notice): void => {
    if (notice.kind === 'torn-tail') tornTails.push(notice);
    else if (notice.kind === 'directory-lost') {
      log.error(notice, 'store');
      options.onDirectoryLost?.(notice.message);
    } else log.warn(notice, 'store');
  };
  const onReplayProgress = (progress: ReplayProgress): void => {
    options.onReplay?.(progress);
    const { replayedBytes, totalBytes, milliseconds } = progress;
    if (replayedBytes === totalBytes) log.info({ bytes: totalBytes, milliseconds }, 'replayed the journal');
  };
  assertCopyIsComplete(directory);
  const requiredFiles = lockFile ? [lockFile] : [];
  const store = await openFileStore({ directory, tables, requiredFiles, clock, newId, onNotice, onReplayProgress });
  await loadTenantClocks(store, clock);
  if (tornTails.length > 0) {
    const lastCommitAt = await findLatestTimestamp(store, clock);
    for (const notice of tornTails) log.warn({ ...notice, lastCommitAt }, 'store');
  }
  const clockWarning = await resumeClock(store, clock);
  return {
    store,
    files: store,
    sharedState: createLocalState(),
    history: {
      listLost: () => [],
      explainFutureChange: () => explainFutureChange(store, clock),
      listAhead: () => Promise.resolve([]),
      resetTime: () => Promise.resolve(),
    },
    notices: clockWarning === undefined ? [] : [clockWarning],
    waitForTime: () => undefined,
    findProblem: async () => (await store.verifyFiles()) ?? store.getStats().unavailableReason,
    readinessConditions: [() => (store.getStats().unavailableReason === undefined ? undefined : 'store read-only')],
    getFigures() {
      const { rows, journalBytes, unavailableReason } = store.getStats();
      return { rows, journalBytes, isUnavailable: unavailableReason !== undefined };
    },
    limitClosing: () => undefined,
    close: () => store.close(),
  };
}

export interface OpenDatabaseOptions extends OpenStoreOptions {
  readonly url: string;
  readonly listenUrl?: string | undefined;
  /** What `clock` reads, unless it is a test clock. */
  readonly databaseClock: DatabaseClock;
}

const toHistory = (
  store: { readonly lostCommits: ReturnType<StoreHistory['listLost']> } & Pick<StoreHistory, 'listAhead' | 'resetTime'>,
): StoreHistory => ({
  listLost: () => store.lostCommits,
  // Such changes are rejected.
  explainFutureChange: () => Promise.resolve(undefined),
  listAhead: () => store.listAhead(),
  resetTime: (tenant) => store.resetTime(tenant),
});

/** Throws a DaemonError that says what is wrong with the database. */
export async function openDatabase(options: OpenDatabaseOptions): Promise<OpenedStore> {
  const { url, listenUrl, databaseClock, instanceId, version, clock, newId, log } = options;
  const hasTestClock = 'advance' in clock;
  // Loaded only here: most daemons have no database.
  const { openDatabaseState, openPostgresStore, readUnfinishedCopy } = await import('../../store/postgres/index.ts');
  const joined: { members?: Members } = {};
  // A test clock is set on purpose.
  const findProblem = (): string | undefined => findClockProblem(joined.members, hasTestClock ? undefined : databaseClock);
  const store = await openPostgresStore({
    url,
    tables,
    clock,
    newId,
    instanceId,
    ...(listenUrl === undefined ? {} : { listenUrl }),
    onNotice: ({ cause, ...notice }) => log.warn({ ...notice, err: cause }, 'store'),
    findClockProblem: findProblem,
    ...(hasTestClock ? {} : { maxAheadMs: MAX_CLOCK_STEP_MS }),
  }).catch((cause: unknown) => {
    throw explainDatabaseError(url, cause);
  });
  const join = async () => {
    if ((await readUnfinishedCopy(store.database)) !== undefined)
      throw new DaemonError('STORE', 'The copy into this database is not complete', { hint: UNFINISHED_COPY_HINT });
    await databaseClock.follow(
      () => store.readTime(),
      (problem) => (problem === undefined ? log.warn('the clocks agree again') : log.error(`changes are rejected: ${problem}`)),
    );
    await loadTenantClocks(store, clock);
    const onError = (err: unknown): void => log.warn({ err }, 'could not update what daemons share; trying again');
    return openDatabaseState({ database: store.database, self: { instanceId, version, hasTestClock }, onError });
  };
  const sharedState = await join().catch(async (cause: unknown) => {
    databaseClock.stop();
    await store.close();
    throw explainDatabaseError(url, cause);
  });
  joined.members = sharedState.members;
  return {
    store,
    files: undefined,
    sharedState,
    history: toHistory(store),
    notices: [],
    waitForTime: () => (hasTestClock ? undefined : databaseClock.waitForTime()),
    findProblem: () => Promise.resolve(store.unavailableReason ?? findProblem()),
    readinessConditions: [
      // Reads count against the rate limit of their key, which is a change, so a read-only database serves none.
      () => (store.unavailableReason === undefined ? undefined : 'store unavailable'),
      () => (databaseClock.findSkew() === undefined && !sharedState.members.hasClockConflict() ? undefined : 'clock skew'),
    ],
    // Counting the rows would read the whole database.
    getFigures: () => ({ rows: undefined, journalBytes: undefined, isUnavailable: store.unavailableReason !== undefined }),
    limitClosing: (milliseconds) => store.limitClosing(milliseconds),
    close() {
      databaseClock.stop();
      return store.close();
    },
  };
}

/** Why changes cannot be dated now. Both sides of a conflict reject them: of the same rows, each would have its own time. */
const findClockProblem = (members: Members | undefined, databaseClock: DatabaseClock | undefined): string | undefined =>
  members?.hasClockConflict()
    ? 'a daemon with a test clock, or a migration, must be the only one of its database'
    : databaseClock?.findProblem();

const UNFINISHED_COPY_HINT = 'Run the same `stockroom migrate` again, or start with an empty database';
