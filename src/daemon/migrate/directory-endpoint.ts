/** A data directory as one end of a migration. Its lock keeps daemons away. */
import { existsSync } from 'node:fs';
import { tables } from '../../domain/tables.ts';
import { StoreDamaged, StoreTooNew, hasStoreFiles, openFileStore } from '../../store/file/index.ts';
import { claimDataDirectory } from '../data-directory/data-directory.ts';
import { findForeignFile } from '../data-directory/foreign-files.ts';
import { markUnfinishedCopy, readUnfinishedCopy, removeUnfinishedCopyMark } from '../data-directory/unfinished-copy.ts';
import { DaemonError, explainDiskError } from '../errors.ts';
import { CACHED_ROWS, type Endpoint, type EndpointOptions, type Role } from './endpoint.ts';

export async function openDirectory(directory: string, { role, clock, onNotice }: EndpointOptions): Promise<Endpoint> {
  await checkFiles(directory, role);
  const lock = claimDataDirectory(directory);
  if (lock === undefined)
    throw new DaemonError('DATA_DIRECTORY_LOCKED', `A daemon uses the data directory ${directory}`, {
      hint: 'Stop it with `stockroom daemon stop`',
      dataDir: directory,
    });
  try {
    const store = await openFileStore({
      directory,
      tables,
      requiredFiles: [lock.file],
      clock,
      cachedRecords: CACHED_ROWS,
      onNotice: ({ message }) => onNotice(message),
    });
    return {
      name: directory,
      store,
      readDataVersion: () => Promise.resolve(String(store.getStats().lastSequence)),
      readUnfinishedCopy: () => Promise.resolve(readUnfinishedCopy(directory)),
      markUnfinishedCopy: async (source) => Promise.resolve(markUnfinishedCopy(directory, source)),
      removeUnfinishedCopyMark: async () => Promise.resolve(removeUnfinishedCopyMark(directory)),
      async [Symbol.asyncDispose]() {
        try {
          await store.close();
        } finally {
          lock.release();
        }
      },
    };
  } catch (error) {
    lock.release();
    throw explainOpenError(directory, error);
  }
}

/** Refuses directories of something else, before any file of them is changed. */
async function checkFiles(directory: string, role: Role): Promise<void> {
  try {
    if (role === 'source') {
      if (!existsSync(directory)) throw createMissingDataError(`There is no directory ${directory}`);
      if (!(await hasStoreFiles(directory))) throw createMissingDataError(`${directory} has no data`);
    } else if (existsSync(directory)) {
      const other = findForeignFile(directory);
      if (other !== undefined)
        throw new DaemonError('TARGET_NOT_EMPTY', `${directory} is no data directory: it contains ${other}`, {
          hint: 'Use an empty or a new directory',
        });
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR')
      throw new DaemonError('DATA_DIRECTORY', `${directory} is a file, not a data directory`, { cause: error });
    throw explainDiskError(directory, error);
  }
}

const createMissingDataError = (message: string): DaemonError =>
  new DaemonError('DATA_DIRECTORY', message, { hint: 'Name the data directory of a daemon, or the address of its database' });

function explainOpenError(directory: string, cause: unknown): unknown {
  if (cause instanceof StoreDamaged || cause instanceof StoreTooNew) return new DaemonError('DATA_DIRECTORY', cause.message, { cause });
  return explainDiskError(directory, cause);
}
