/** Public interface of the PostgreSQL store. Other folders import only from here. */
export { Database, type Queryable, defineStatement } from './database.ts';
export { DatabaseUnusable } from './errors.ts';
export { type PostgresStore, type PostgresStoreOptions, openPostgresStore } from './postgres-store.ts';
