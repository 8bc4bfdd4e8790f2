/**
 * One process at a time: what is read, changed and written back must not be changed by another command meanwhile. The lock is that of an
 * SQLite database in which nothing is stored, as for data directories: the operating system drops it with the process.
 */
import { closeSync, openSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';

/** Longer than others have it for, a few milliseconds each. */
const PATIENCE_MS = 5_000;

const held = new Set<string>();

/** Runs `work` while no other process does so under the same lock file; where that cannot be locked, it runs all the same. */
export function alone<T>(path: string, work: () => T): T {
  if (held.has(path)) return work();
  const lock = take(path);
  held.add(path);
  try {
    return work();
  } finally {
    held.delete(path);
    lock?.close();
  }
}

function take(path: string): DatabaseSync | undefined {
  const Database = sqlite();
  let database: DatabaseSync | undefined;
  try {
    // SQLite would let others read it, as far as the umask does.
    closeSync(openSync(path, 'a', 0o600));
    database = new Database(path, { timeout: PATIENCE_MS });
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return database;
  } catch {
    // A directory that is not there or not writable is told by whoever writes into it; to lose an edit is rarer than a disk without locks.
    database?.close();
    return undefined;
  }
}

function sqlite(): typeof DatabaseSync {
  // Node 22 calls the module experimental on stderr.
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return process.getBuiltinModule('node:sqlite').DatabaseSync;
  } finally {
    process.emitWarning = emitWarning;
  }
}
