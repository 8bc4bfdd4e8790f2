/** Databases with the schema of a PostgreSQL store. */
import type { TableSpec } from '../../../src/domain/kernel/ports.ts';
import { openPostgresStore } from '../../../src/store/postgres/index.ts';
import type { DatabaseTemplate } from './databases.ts';
import { runSql } from './sql.ts';

// Deleting the few rows of a test takes a tenth of what truncating dozens of tables with all of their indexes takes.
const DELETE_ROWS = `DO $$
  DECLARE name text;
  BEGIN
    FOR name IN SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname = 'stockroom' AND tablename <> 'schema_info' LOOP
      EXECUTE 'DELETE FROM ' || name;
    END LOOP;
  END $$`;

export const createStoreTemplate = (name: string, tables: Readonly<Record<string, TableSpec>>): DatabaseTemplate => ({
  name,
  async prepare(url) {
    await (await openPostgresStore({ url, tables })).close();
  },
  async clean(url) {
    await runSql(url, DELETE_ROWS);
  },
});
