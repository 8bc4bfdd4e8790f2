/**
 * Whether the database can be used, for `/readyz` and `daemon status`.
 *
 *   available ──── a call finds no server, or a server that refuses changes ────► unavailable
 *   unavailable ── a check finds a server that accepts changes ─────────────────► available
 *
 * After a change was refused for another reason, such as a full disk, which a check does not notice, checks do not count for a while.
 */
import { StoreUnavailable } from '../../domain/kernel/ports.ts';
import { TenantUnavailable, TransactionConflict, getErrorCode } from './errors.ts';
import type { ServerState } from './server-state.ts';

/** After a refused change. */
const HOLD_MS = 10_000;
const READ_ONLY = 'The store is unavailable: the database is read-only';
/** Refusals of a server that a check does not notice: disk full, no memory left. */
const UNNOTICED: ReadonlySet<string | undefined> = new Set(['53100', '53200']);

export class Availability {
  readonly #onChange: (reason: string | undefined) => void;
  #reason: string | undefined;
  #heldUntil = 0;

  /** `onChange` is called when the database becomes unavailable, with the reason, and when it is available again. */
  constructor(onChange: (reason: string | undefined) => void) {
    this.#onChange = onChange;
  }

  /** Why the database cannot be used; undefined when it can. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** A call has failed. Errors of its own work, and locks of one tenant, say nothing about the database. */
  onFailed(error: unknown): void {
    if (!(error instanceof StoreUnavailable) || error instanceof TenantUnavailable || error instanceof TransactionConflict) return;
    this.#change(error.message);
    if (UNNOTICED.has(getErrorCode(error.cause))) this.#heldUntil = performance.now() + HOLD_MS;
  }

  /** A check of the server has ended. */
  onChecked(state: ServerState): void {
    if (state.isReadOnly) this.#change(READ_ONLY);
    else if (performance.now() >= this.#heldUntil) this.#change(undefined);
  }

  #change(reason: string | undefined): void {
    const isChanged = (reason === undefined) !== (this.#reason === undefined);
    this.#reason = reason;
    if (isChanged) this.#onChange(reason);
  }
}
