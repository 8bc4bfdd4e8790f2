/** Where services of tests keep their data: in files, or each in a database of its own when STOCKROOM_TEST_STORE is `postgres`. */
import { createDatabaseClock } from '../../../src/daemon/service/clocks/database-clock.ts';
import type { ServiceOptions } from '../../../src/daemon/service/open-service.ts';
import { tables } from '../../../src/domain/tables.ts';

/** For tests of files, snapshots and other things that PostgreSQL does not have. */
export const hasFileStore = process.env['STOCKROOM_TEST_STORE'] !== 'postgres';

export interface ServiceStore extends AsyncDisposable {
  /** For `openService`, which may open the store again after it was closed. */
  readonly options: Pick<ServiceOptions, 'database'>;
}

export async function takeServiceStore(): Promise<ServiceStore> {
  if (hasFileStore) return { options: {}, [Symbol.asyncDispose]: () => Promise.resolve() };
  const [{ takeDatabase }, { createStoreTemplate }] = await Promise.all([
    import('../postgres/databases.ts'),
    import('../postgres/store-database.ts'),
  ]);
  const database = await takeDatabase(createStoreTemplate('service', tables));
  return {
    // A test clock does not follow it.
    options: { database: { url: database.url, databaseClock: createDatabaseClock() } },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}
