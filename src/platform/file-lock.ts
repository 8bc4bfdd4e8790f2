/**
 * A lock between processes, held on a file.
 *
 * Node has no file locks, but its SQLite takes real ones (fcntl on POSIX, LockFileEx on Windows). The lock is an empty database with an
 * open exclusive transaction; nothing is ever stored in it. The operating system releases it when the process ends, even after kill -9,
 * and the file never has to be removed. The simpler alternatives fail:
 * - a pid file has to be cleaned up after kill -9, and two processes that clean it up at the same time can both win;
 * - a socket file has the same race between "no one answers", unlink and bind;
 * - an abstract socket has no such race, but exists only on Linux, any user may take its name, and two containers that share a volume
 *   (two network namespaces) would both get it.
 */
import type { DatabaseSync } from 'node:sqlite';

export interface FileLock {
  release(): void;
}

const SQLITE_BUSY = 5;
const SQLITE_CORRUPT = 11;
const SQLITE_CANTOPEN = 14;
const SQLITE_NOTADB = 26;

/** The garbage collector closes a database that nothing refers to, which would release its lock. */
const heldLocks = new Set<DatabaseSync>();

/**
 * Locks the file at `location`, which is created unless a `file:` URL says `mode=rw`. Returns undefined when another holder, in this
 * process or in another one, keeps the lock for longer than `timeoutMs`. Throws when the file cannot be opened or locked at all.
 */
export function acquireFileLock(location: string | URL, { timeoutMs }: { readonly timeoutMs: number }): FileLock | undefined {
  const Database = loadSqlite();
  let database: DatabaseSync | undefined;
  try {
    database = new Database(location, { timeout: timeoutMs });
    // In memory: there is nothing to roll back, so no journal file is needed.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database?.close();
    if (getSqliteCode(error) === SQLITE_BUSY) return undefined;
    throw error;
  }
  const held = database;
  heldLocks.add(held);
  return {
    release() {
      heldLocks.delete(held);
      held.close();
    },
  };
}

/** Whether `acquireFileLock` failed because it could not open the file. */
export const isCannotOpenError = (error: unknown): boolean => getSqliteCode(error) === SQLITE_CANTOPEN;

/** Whether `acquireFileLock` failed because the file is not one that it created. */
export const isNotLockFileError = (error: unknown): boolean => [SQLITE_CORRUPT, SQLITE_NOTADB].includes(getSqliteCode(error) ?? 0);

const getSqliteCode = (error: unknown): number | undefined => (error as { errcode?: number } | undefined)?.errcode;

function loadSqlite(): typeof DatabaseSync {
  // Node 22 warns on stderr that the module is experimental.
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return process.getBuiltinModule('node:sqlite').DatabaseSync;
  } finally {
    process.emitWarning = emitWarning;
  }
}
