/** Public interface of the PostgreSQL store. Other folders import only from here. */
export { DatabaseUnusable } from './errors.ts';
export { openPostgresStore } from './postgres-store.ts';
export { openDatabaseState } from './shared-state/index.ts';
