/** Public interface of the PostgreSQL store. Other folders import only from here. */
export { isPrepared, readDataVersion } from './data-version.ts';
export { DatabaseUnusable } from './errors.ts';
export { openPostgresStore, type PostgresStore } from './postgres-store.ts';
export { openDatabaseState } from './shared-state/index.ts';
export { markUnfinishedCopy, readUnfinishedCopy, removeUnfinishedCopyMark } from './unfinished-copy.ts';
