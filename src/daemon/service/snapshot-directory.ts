/** The snapshots of a data directory, one file each in its directory `snapshots`. They are saved and restored while the daemon runs. */
import { iterateTenants } from '../../api/admin/data-checks/check-data.ts';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Logger } from 'pino';
import type { Snapshots } from '../../api/admin/handler.ts';
import type { Snapshot } from '../../contract/admin/snapshots.ts';
import { StockroomError } from '../../domain/kernel/errors.ts';
import { type Clock, type NewId, StoreUnavailable } from '../../domain/kernel/ports.ts';
import { type StockroomTables, tables } from '../../domain/tables.ts';
import {
  type FileStore,
  SnapshotUnusable,
  type SnapshotHeader,
  installSnapshotFiles,
  isUnfinishedSnapshot,
  readSnapshotHeader,
} from '../../store/file/index.ts';
import { createFirstTenant } from './bootstrap.ts';

interface Parts {
  /** The data directory. */
  readonly directory: string;
  readonly store: FileStore<StockroomTables>;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Pick<Logger, 'warn'>;
  readonly version: string;
  /** Replaces all data in the store and in memory with a snapshot, or with nothing. */
  readonly restore: (path: string | undefined) => Promise<void>;
}

const SUFFIX = '.snapshot';
/** Messages name at most so many snapshots. */
const NAMED_MAX = 5;

export function openSnapshotDirectory({ directory, store, clock, newId, log, version, restore }: Parts): Snapshots {
  const snapshotDirectory = join(directory, 'snapshots');
  const getPath = (name: string) => getSnapshotPath(directory, name);
  const getSnapshot = async (name: string) =>
    (await readSnapshot(name, getPath(name))) ??
    Promise.reject(new StockroomError('NOT_FOUND', `There is no snapshot ${name}. ${(await describeSnapshots(directory)).text}.`));
  const enqueue = createQueue(store);

  return {
    list: () => listSnapshots(directory).catch(throwApiError),
    save: (name, { replace }) =>
      enqueue(async () => {
        await mkdir(snapshotDirectory, { recursive: true, mode: 0o700 });
        // Drafts that a killed daemon has left.
        for (const file of await readdir(snapshotDirectory))
          if (isUnfinishedSnapshot(file)) await rm(join(snapshotDirectory, file), { force: true });
        if (!replace && (await listNames(snapshotDirectory)).includes(name)) {
          throw new StockroomError('DUPLICATE_VALUE', `Snapshot ${name} already exists. Choose another name, or pass --replace.`);
        }
        const tenants: string[] = [];
        for await (const { slug } of iterateTenants(store)) tenants.push(slug);
        await store.saveSnapshot(getPath(name), { version, savedAt: clock.now().toISOString(), tenants });
        return getSnapshot(name);
      }),
    load: (name) =>
      enqueue(async () => {
        const snapshot = await getSnapshot(name);
        await restore(getPath(name));
        log.warn({ snapshot: name }, 'restored a snapshot');
        return snapshot;
      }),
    remove: (name) =>
      enqueue(async () => {
        const snapshot = await getSnapshot(name);
        await rm(getPath(name));
        return snapshot;
      }),
    reset: () =>
      enqueue(async () => {
        await restore(undefined);
        log.warn('reset all data');
        return createFirstTenant({ store, newId });
      }),
  };
}

/** Returns a function that runs one operation after the other: a snapshot must not be replaced while it is being restored. */
function createQueue(store: Parts['store']): <T>(work: () => Promise<T>) => Promise<T> {
  let previous: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = previous
      .then(() => assertFilesInPlace(store))
      .then(work)
      .catch(throwApiError);
    previous = result.catch(() => undefined);
    return result;
  };
}

const getSnapshotPath = (directory: string, name: string): string => join(directory, 'snapshots', `${name}${SUFFIX}`);

/** The snapshots of a data directory, newest first. */
async function listSnapshots(directory: string): Promise<Snapshot[]> {
  const names = await listNames(join(directory, 'snapshots'));
  const snapshots = await Promise.all(names.map((name) => readSnapshot(name, getSnapshotPath(directory, name))));
  return snapshots.filter((snapshot) => snapshot !== undefined).sort((a, b) => ((a.savedAt ?? '') < (b.savedAt ?? '') ? 1 : -1));
}

/** The names of the newest snapshots that can be restored, for messages: without a running daemon no command lists them. */
export async function describeSnapshots(directory: string): Promise<{ readonly text: string; readonly isEmpty: boolean }> {
  const snapshots = await listSnapshots(directory).catch(() => []);
  const names = snapshots.filter(({ problem }) => problem === null).map(({ name }) => name);
  if (names.length === 0) return { text: `${directory} has no snapshot that can be restored`, isEmpty: true };
  const more = names.length > NAMED_MAX ? ` and ${String(names.length - NAMED_MAX)} more` : '';
  return { text: `Snapshots, newest first: ${names.slice(0, NAMED_MAX).join(', ')}${more}`, isEmpty: false };
}

async function listNames(snapshotDirectory: string): Promise<string[]> {
  const files = await readdir(snapshotDirectory).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  return files.filter((file) => file.endsWith(SUFFIX) && !file.startsWith('.')).map((file) => basename(file, SUFFIX));
}

/** Undefined if there is no such file. */
async function readSnapshot(name: string, path: string): Promise<Snapshot | undefined> {
  const file = await stat(path).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (file === undefined) return undefined;
  const unknown = { savedAt: null, rows: null, tenants: null, version: null };
  try {
    return { name, bytes: file.size, ...toSnapshotInfo(await readSnapshotHeader(path)), problem: null };
  } catch (error) {
    if (!(error instanceof SnapshotUnusable)) throw error;
    return { name, bytes: file.size, ...unknown, problem: error.problem };
  }
}

/** The path of a lost data directory may belong to another daemon. */
async function assertFilesInPlace(store: Parts['store']): Promise<void> {
  const problem = await store.verifyFiles();
  if (problem !== undefined) throw new StoreUnavailable(problem);
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** Replaces the data of a directory whose daemon does not run with a snapshot. The data may be damaged. */
export async function installSnapshot(directory: string, name: string): Promise<void> {
  const path = getSnapshotPath(directory, name);
  await installSnapshotFiles(
    path,
    directory,
    Object.values(tables).map((table) => table.name),
  ).catch((error: unknown) => {
    if (isMissing(error)) throw new SnapshotUnusable(path, 'the file does not exist', { cause: error });
    throw error;
  });
}

/** `about` is the object that `save` passed to `saveSnapshot`. */
function toSnapshotInfo({ rows, about }: SnapshotHeader): Pick<Snapshot, 'savedAt' | 'rows' | 'tenants' | 'version'> {
  const { savedAt, tenants, version } = about;
  // A file that someone else has written may have anything here.
  return {
    savedAt: typeof savedAt === 'string' && !Number.isNaN(Date.parse(savedAt)) ? savedAt : null,
    rows,
    tenants: Array.isArray(tenants) && tenants.every((slug) => typeof slug === 'string') ? tenants : null,
    version: typeof version === 'string' ? version : null,
  };
}

const DISK_ERROR_CODES = ['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EIO'];
const ACCESS_PROBLEMS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EEXIST: 'it is a file',
  ENOTDIR: 'it is a file',
};

function throwApiError(error: unknown): never {
  if (error instanceof SnapshotUnusable)
    throw new StockroomError('SNAPSHOT_UNUSABLE', `Cannot restore snapshot ${basename(error.file, SUFFIX)}: ${error.problem}.`, {
      cause: error,
    });
  const { code = '', path } = error as NodeJS.ErrnoException;
  const problem = ACCESS_PROBLEMS[code];
  if (problem !== undefined && path !== undefined) throw new StoreUnavailable(`cannot access ${path}: ${problem}`, { cause: error });
  if (error instanceof Error && DISK_ERROR_CODES.includes((error as NodeJS.ErrnoException).code ?? ''))
    throw new StoreUnavailable(`cannot write to the disk: ${error.message}`, { cause: error });
  throw error;
}
