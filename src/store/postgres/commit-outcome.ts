/** Finds out whether a transaction was committed whose COMMIT got no answer, because the connection was lost. */
import { setTimeout } from 'node:timers/promises';
import { StoreUnavailable } from '../../domain/kernel/ports.ts';
import { type Database, defineStatement } from './database.ts';
import { TransactionConflict } from './errors.ts';

const TIMEOUT_MS = 10_000;
const RETRY_MS = 100;
const STATUS = defineStatement('SELECT pg_xact_status($1::xid8)');

/**
 * True when the transaction was committed, false when not. `error`: what its COMMIT was rejected with. Throws `StoreUnavailable` when the
 * outcome stays unknown.
 */
export async function isCommitted(database: Database, transactionId: string, error: unknown): Promise<boolean> {
  // Other errors are answers of the server: it has rolled back.
  if (!(error instanceof StoreUnavailable) || error instanceof TransactionConflict) return false;
  for (const deadline = performance.now() + TIMEOUT_MS; ;) {
    const status = await readStatus(database, transactionId);
    if (status === 'committed') return true;
    if (status === 'aborted') return false;
    if (performance.now() > deadline)
      throw new StoreUnavailable('The store is unavailable: it is unknown whether the change was made. Repeat it with the same key.', {
        cause: error,
      });
    await setTimeout(RETRY_MS);
  }
}

/** Undefined while the server cannot be asked. A server that was restored has forgotten transactions: null. */
async function readStatus(database: Database, transactionId: string): Promise<unknown> {
  try {
    const [[status] = []] = await database.query(STATUS, [transactionId]);
    return status;
  } catch {
    return undefined;
  }
}
