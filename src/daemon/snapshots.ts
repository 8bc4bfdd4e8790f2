/** The snapshots of a data directory: one file each in its folder `snapshots`, made and loaded while the daemon runs. */
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Logger } from 'pino';
import type { Snapshots } from '../api/admin/call.ts';
import type { Snapshot } from '../contract/admin/snapshots.ts';
import { StockroomError, notFound } from '../domain/errors.ts';
import { type Clock, type NewId, StoreUnavailable } from '../domain/ports.ts';
import { type StockroomTables, tables } from '../domain/tables.ts';
import { type FileStore, SnapshotUnusable, type SnapshotHead, installFiles, isDraft, readSnapshotHead } from '../store/file/index.ts';
import { welcome } from './first.ts';
import { allTenants } from './tenants.ts';

interface Parts {
  /** The data directory. */
  readonly directory: string;
  readonly store: FileStore<StockroomTables>;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Pick<Logger, 'warn'>;
  readonly version: string;
  /** Lets a snapshot, or nothing, take the place of the data in the store and in memory. */
  readonly restore: (path: string | undefined) => Promise<void>;
}

const SUFFIX = '.snapshot';

export function snapshotShelf({ directory, store, clock, newId, log, version, restore }: Parts): Snapshots {
  const folder = join(directory, 'snapshots');
  const pathOf = (name: string) => join(folder, `${name}${SUFFIX}`);
  let last: Promise<unknown> = Promise.resolve();
  /** One after the other: a snapshot must not be replaced while it is being loaded. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work).catch(explain);
    last = done.catch(() => undefined);
    return done;
  };
  const describe = async (name: string): Promise<Snapshot> => {
    const found = await stat(pathOf(name)).catch(absent(name));
    const nothing = { savedAt: null, rows: null, tenants: null, version: null };
    try {
      return { name, bytes: found.size, ...told(await readSnapshotHead(pathOf(name))), problem: null };
    } catch (error) {
      if (!(error instanceof SnapshotUnusable)) throw error;
      return { name, bytes: found.size, ...nothing, problem: error.problem };
    }
  };
  const names = async (): Promise<string[]> => {
    const files = await readdir(folder).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
    return files.filter((file) => file.endsWith(SUFFIX) && !file.startsWith('.')).map((file) => basename(file, SUFFIX));
  };

  return {
    async list() {
      const found = await Promise.all((await names()).map(describe));
      return found.sort((a, b) => ((a.savedAt ?? '') < (b.savedAt ?? '') ? 1 : -1));
    },
    save: (name, { replace }) =>
      inTurn(async () => {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        // What a daemon that was killed has left unfinished.
        for (const file of await readdir(folder)) if (isDraft(file)) await rm(join(folder, file), { force: true });
        if (!replace && (await names()).includes(name)) {
          throw new StockroomError(
            'DUPLICATE_VALUE',
            `There is a snapshot ${name} already; choose another name, or replace it with --replace.`,
          );
        }
        const tenants = (await allTenants(store)).map(({ slug }) => slug);
        await store.save(pathOf(name), { version, savedAt: clock.now().toISOString(), tenants });
        return describe(name);
      }),
    load: (name) =>
      inTurn(async () => {
        const snapshot = await describe(name);
        await restore(pathOf(name));
        log.warn({ snapshot: name }, 'a snapshot took the place of the data');
        return snapshot;
      }),
    remove: (name) =>
      inTurn(async () => {
        const snapshot = await describe(name);
        await rm(pathOf(name));
        return snapshot;
      }),
    reset: () =>
      inTurn(async () => {
        await restore(undefined);
        log.warn('everything was reset');
        return welcome({ store, clock, newId });
      }),
  };
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** Lets a snapshot take the place of the data of a directory whose daemon does not run, however damaged they are. */
export async function installSnapshot(directory: string, name: string): Promise<void> {
  const path = join(directory, 'snapshots', `${name}${SUFFIX}`);
  await installFiles(
    path,
    directory,
    Object.values(tables).map((table) => table.name),
  ).catch((error: unknown) => {
    if (isMissing(error)) throw new SnapshotUnusable(path, 'there is no such file', { cause: error });
    throw error;
  });
}

const absent = (name: string) => (error: unknown) => {
  if (isMissing(error)) throw notFound('snapshot', name);
  throw error;
};

/** What the head says; `about` is what `save` put in. */
function told({ rows, about }: SnapshotHead): Pick<Snapshot, 'savedAt' | 'rows' | 'tenants' | 'version'> {
  const { savedAt, tenants, version } = about as { savedAt: string; tenants: readonly string[]; version: string };
  return { savedAt, rows, tenants, version };
}

const DISK_TROUBLE = ['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EIO'];

function explain(error: unknown): never {
  if (error instanceof SnapshotUnusable)
    throw new StockroomError('SNAPSHOT_UNUSABLE', `The snapshot ${basename(error.file, SUFFIX)} cannot be loaded: ${error.problem}.`, {
      cause: error,
    });
  if (error instanceof Error && DISK_TROUBLE.includes((error as NodeJS.ErrnoException).code ?? ''))
    throw new StoreUnavailable(`the disk takes no more: ${error.message}`, { cause: error });
  throw error;
}
