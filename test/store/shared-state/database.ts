/** A database with the schema of the store, for the tests of a file, and the connections of daemons to it. */
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { Database } from '../../../src/store/postgres/database.ts';
import { prepareSchema } from '../../../src/store/postgres/schema.ts';
import { type Database as TestDatabase, createDatabase } from '../../support/postgres/databases.ts';
import { runSql } from '../../support/postgres/sql.ts';

export interface SharedDatabase {
  /** The connections of one more daemon, closed when the test has ended. */
  connect(): Database;
  execute(sql: string): ReturnType<typeof runSql>;
}

export function useSharedDatabase(): SharedDatabase {
  let created: TestDatabase | undefined;
  const getUrl = (): string => {
    if (!created) throw new Error('the database is available in tests and hooks only');
    return created.url;
  };
  beforeAll(async () => {
    created = await createDatabase();
    const database = new Database({ url: created.url });
    await prepareSchema(database, []);
    await database.close();
  });
  afterAll(() => created?.[Symbol.asyncDispose]());
  return {
    connect() {
      const database = new Database({ url: getUrl() });
      // A test may have closed it, as if the daemon were killed.
      onTestFinished(() => database.close().catch(() => undefined));
      return database;
    },
    execute: (sql) => runSql(getUrl(), sql),
  };
}
