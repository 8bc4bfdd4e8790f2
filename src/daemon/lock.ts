/**
 * One daemon per data directory.
 *
 * Node has no file locks of its own, but the SQLite inside it takes real ones (fcntl on POSIX, LockFileEx on Windows), so the lock
 * is an empty database held in an exclusive transaction; nothing is ever stored in it. Why not something simpler:
 * - a pid file must be cleaned after kill -9, and two processes that clean it at once can both win;
 * - the admin socket has the same race between "nobody answers", unlink and bind;
 * - an abstract socket is free of it, but only exists on Linux, any user may take its name, and two containers over one volume
 *   (two network namespaces) would both get it.
 * The kernel drops this lock with the process, however it ends, and no file has to be removed, ever.
 */
import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { lockFile } from '../contract/places.ts';
import { DaemonError } from './errors.ts';

export interface Lock {
  release(): void;
}

/** A database that nobody refers to is closed by the collector, and its lock with it: a lock lasts until it is released, kept or not. */
const held = new Set<DatabaseSync>();

/** Longer than anybody looks at the lock (`isLocked`), so that being looked at never costs a starting daemon its lock. */
const PATIENCE_MS = 250;
const LOOKS = 5;
const SQLITE_BUSY = 5;
const SQLITE_CANTOPEN = 14;

/** The lock of a data directory, or undefined while another process has it. */
export function takeLock(dataDir: string): Lock | undefined {
  const path = lockFile(dataDir);
  return hold(path, path, PATIENCE_MS);
}

/** Whether a daemon has the data directory, be it starting, running or stopping. */
export function isLocked(dataDir: string): boolean {
  const path = lockFile(dataDir);
  // Opened only if it is there: to make it would keep a directory from being removed at this moment.
  const present = pathToFileURL(path);
  present.searchParams.set('mode', 'rw');
  for (let looks = 1; ; looks += 1) {
    try {
      const lock = hold(path, present, 0);
      lock?.release();
      return lock === undefined;
    } catch (error) {
      if (codeOf((error as DaemonError).cause) !== SQLITE_CANTOPEN) throw error;
      if (!existsSync(path)) return false;
      // It may have been made just now; one that this user may not open stays so.
      if (looks === LOOKS) throw error;
    }
  }
}

/** What node:sqlite reports: a result code of SQLite. */
const codeOf = (thrown: unknown): number | undefined => (thrown as { errcode?: number } | undefined)?.errcode;

function hold(path: string, location: string | URL, patienceMs: number): Lock | undefined {
  const Database = sqlite();
  let database: DatabaseSync | undefined;
  try {
    database = new Database(location, { timeout: patienceMs });
    // No journal file beside the lock: there is nothing to roll back.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (cause) {
    database?.close();
    if (codeOf(cause) === SQLITE_BUSY) return undefined;
    throw new DaemonError('data_directory', `${path} cannot be locked: ${(cause as Error).message}`, {
      hint: 'the data directory must be writable and on a file system with file locks',
      cause,
    });
  }
  const taken = database;
  held.add(taken);
  return {
    release() {
      held.delete(taken);
      taken.close();
    },
  };
}

function sqlite(): typeof DatabaseSync {
  // Node 22 calls the module experimental on stderr; the lock uses nothing of it that could change.
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return process.getBuiltinModule('node:sqlite').DatabaseSync;
  } finally {
    process.emitWarning = emitWarning;
  }
}
