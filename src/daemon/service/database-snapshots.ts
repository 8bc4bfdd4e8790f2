/** Snapshots of a service whose data is in a database: it has none, and says what to use instead. */
import type { Snapshots } from '../../api/admin/handler.ts';
import { StockroomError } from '../../domain/kernel/errors.ts';

export function createDatabaseSnapshots(): Snapshots {
  const refuse = (): Promise<never> =>
    Promise.reject(
      new StockroomError(
        'NOT_ENABLED',
        'The data is in PostgreSQL, which has no snapshots. Save it with pg_dump, or copy it to a data directory with `stockroom migrate`.',
      ),
    );
  const refuseReset = (): Promise<never> =>
    Promise.reject(
      new StockroomError('NOT_ENABLED', 'The data is in PostgreSQL, which is not reset. Start the daemon on another, empty database.'),
    );
  return { list: () => Promise.resolve([]), save: refuse, load: refuse, remove: refuse, reset: refuseReset };
}
