/**
 * Finds out whether a group was committed whose COMMIT got no answer.
 *
 *   committing ── COMMIT answered ──────────────► committed, or rolled back
 *       └──────── connection lost, no answer ───► unknown ── head locked, token there ────────► committed
 *                                                    ├────── head locked, token not there ───► rolled back
 *                                                    └────── head not locked in time ────────► unknown for good: the caller is informed
 *
 * The proof is the random token that the group itself has written: numbers of transactions and commits are given again after a crash or a
 * failover. The group holds the lock of its head until it ends, so the next holder of that lock reads the final outcome. Committing
 * that lock waits for synchronous standbys, and so for the group as well.
 */
import { setTimeout } from 'node:timers/promises';
import { StoreUnavailable } from '../../../domain/kernel/ports.ts';
import { findToken } from '../commit-log.ts';
import { type Database, SHORT_TIMEOUT_MS } from '../database.ts';
import { TransactionConflict } from '../errors.ts';
import { type Head, lockHead } from '../heads.ts';

const TIMEOUT_MS = 10_000;
const RETRY_MS = 100;
const BEGIN = "BEGIN; SET LOCAL lock_timeout = '5s'; SET LOCAL idle_in_transaction_session_timeout = '5s'";

type Outcome = 'committed' | 'rolled back' | 'unknown';

/** Whether the outcome of a group is open after its COMMIT was rejected with `error`. */
export const isOutcomeOpen = (error: unknown): boolean => error instanceof StoreUnavailable && !(error instanceof TransactionConflict);

/**
 * True when the group was committed, false when it was rolled back. `after`: the head that the group has written. `error`: what its COMMIT
 * was rejected with. Throws `StoreUnavailable` when the outcome stays unknown.
 */
export async function isCommitted(database: Database, after: Head, error: unknown): Promise<boolean> {
  for (const deadline = performance.now() + TIMEOUT_MS; ;) {
    const outcome = await readOutcome(database, after).catch((): Outcome => 'unknown');
    if (outcome !== 'unknown') return outcome === 'committed';
    if (performance.now() > deadline || database.isDestroyed)
      throw new StoreUnavailable('The store is unavailable: it is unknown whether the change was made. Repeat it with the same key.', {
        cause: error,
      });
    await setTimeout(RETRY_MS);
  }
}

function readOutcome(database: Database, { tenant, sequence, token }: Head): Promise<Outcome> {
  return database.use(async (connection) => {
    await connection.execute(BEGIN, SHORT_TIMEOUT_MS);
    const { head } = await lockHead(connection, tenant);
    // Others may have committed since, but none has the token, and none the same number.
    const found = head.token === token ? token : head.sequence < sequence ? '' : await findToken(connection, tenant, sequence);
    await connection.execute('COMMIT', SHORT_TIMEOUT_MS);
    if (found === undefined) return 'unknown';
    return found === token ? 'committed' : 'rolled back';
  });
}
