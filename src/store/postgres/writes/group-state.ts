/**
 * The states of a group of transactions, and what its errors lead to.
 *
 *   running ── commit ──► committing ── committed ──► committed
 *      │                      ├── no answer ──► unknown ── committed ──► committed
 *      │                      │                    ├── rolled back ──► as its error says
 *      │                      │                    └── failed ──► rejected
 *      └── failed ────────────┴── failed ──► as its error says
 *
 * The transaction of the database is over in every state but `running` and `committing`, and nothing is committed in `running`, `rejected`
 * and `separated`. `choosePolicy` decides what an error leads to: to `running` with another attempt, or to one of these two.
 */
import { StoreUnavailable } from '../../../domain/kernel/ports.ts';
import { isOutcomeOpen } from './commit-outcome.ts';
import { LockTimeout, TransactionConflict, UniqueViolation } from '../errors.ts';

const MAX_CONFLICTS = 5;

/** How the transactions of a group run. */
export interface Attempt {
  /** How long the group waits for the lock of the tenant: as long as another daemon usually needs, or in the lock lane for long. */
  readonly lock: 'quick' | 'patient';
  /** Who checks whether unique values are free: the commit, or a look-up for each. */
  readonly uniqueChecks: 'deferred' | 'lookedUp';
  /** How many attempts have met a conflict. */
  readonly conflicts: number;
}

export interface Running {
  readonly name: 'running';
  readonly attempt: Attempt;
}

export type GroupState =
  | Running
  /** COMMIT was sent. */
  | { readonly name: 'committing'; readonly attempt: Attempt }
  /** It got no answer; commit-outcome.ts finds out. */
  | { readonly name: 'unknown'; readonly attempt: Attempt; readonly error: unknown }
  | { readonly name: 'committed' }
  /** Each transaction fails with the error. */
  | { readonly name: 'rejected'; readonly error: unknown }
  /** The transactions run again, each in a group of its own. */
  | { readonly name: 'separated' };

export type GroupEvent =
  | { readonly name: 'commit' | 'committed' }
  /** `size`: how many transactions the group has taken. */
  | { readonly name: 'rolled back'; readonly size: number }
  | { readonly name: 'failed'; readonly error: unknown; readonly size: number };

/** What happens to a group that was rolled back. */
type ErrorPolicy =
  /** Somebody else has the lock: run again, and wait longer for it. */
  | 'retryPatiently'
  /** Another transaction of the database had to go first: run again. */
  | 'retry'
  /** A row has a unique value of another one: run again to find out which transaction that fails, and with what. */
  | 'retryWithLookUps'
  /** The database is unavailable, or there is only one transaction: it is not going to work. */
  | 'rejectAll'
  /** One of the transactions has caused the error: the others must not fail with it. */
  | 'retryOneByOne';

export const startGroup = (lock: Attempt['lock']): Running => ({
  name: 'running',
  attempt: { lock, uniqueChecks: 'deferred', conflicts: 0 },
});

/** The state after an event. Throws for an event that the state does not have: a bug. */
export function transition(state: GroupState, event: GroupEvent): GroupState {
  switch (state.name) {
    case 'running':
      if (event.name === 'commit') return { name: 'committing', attempt: state.attempt };
      if (event.name === 'failed') return applyPolicy(state.attempt, event.error, event.size);
      break;
    case 'committing':
      if (event.name === 'committed') return { name: 'committed' };
      if (event.name !== 'failed') break;
      if (isOutcomeOpen(event.error)) return { name: 'unknown', attempt: state.attempt, error: event.error };
      return applyPolicy(state.attempt, event.error, event.size);
    case 'unknown':
      if (event.name === 'committed') return { name: 'committed' };
      if (event.name === 'rolled back') return applyPolicy(state.attempt, state.error, event.size);
      if (event.name === 'failed') return { name: 'rejected', error: event.error };
      break;
    case 'committed':
    case 'rejected':
    case 'separated':
  }
  throw new Error(`a group that is ${state.name} cannot get ${event.name}`);
}

function choosePolicy({ lock, uniqueChecks, conflicts }: Attempt, error: unknown, size: number): ErrorPolicy {
  if (error instanceof LockTimeout && lock === 'quick') return 'retryPatiently';
  if (error instanceof TransactionConflict && conflicts < MAX_CONFLICTS) return 'retry';
  if (error instanceof UniqueViolation && uniqueChecks === 'deferred') return 'retryWithLookUps';
  return size <= 1 || error instanceof StoreUnavailable ? 'rejectAll' : 'retryOneByOne';
}

function applyPolicy(attempt: Attempt, error: unknown, size: number): GroupState {
  switch (choosePolicy(attempt, error, size)) {
    case 'retryPatiently':
      return { name: 'running', attempt: { ...attempt, lock: 'patient' } };
    case 'retry':
      return { name: 'running', attempt: { ...attempt, conflicts: attempt.conflicts + 1 } };
    case 'retryWithLookUps':
      return { name: 'running', attempt: { ...attempt, uniqueChecks: 'lookedUp' } };
    case 'rejectAll':
      return { name: 'rejected', error };
    case 'retryOneByOne':
      return { name: 'separated' };
  }
}
