/** Gives the transactions of a service a time ahead of its clock and ids of their own, as a database does whose clock is ahead. */
import type { TestService } from './service.ts';

export interface ShiftedTransactions {
  /** By which the time of transactions is ahead of the clock. */
  readonly aheadMs: number;
  /** The ids given out so far. */
  readonly ids: ReadonlySet<string>;
}

/** Applies to all later transactions of the service. */
export function shiftTransactions({ service: { store } }: TestService, aheadMs: number): ShiftedTransactions {
  const ids = new Set<string>();
  const transact = store.transact.bind(store);
  store.transact = (tenant, work) =>
    transact(tenant, (tx) => {
      const newId = (): string => {
        const id = tx.newId();
        ids.add(id);
        return id;
      };
      const shifted = { now: { value: new Date(tx.now.getTime() + aheadMs) }, newId: { value: newId } };
      return work(Object.create(tx, shifted) as typeof tx);
    });
  return { aheadMs, ids };
}

/** Now, this much later. */
export const later = (s: TestService, ms: number): number => s.clock.now().getTime() + ms;

/** Whether an instant is the expected one, or within the time that a test may take after it. */
export const isAt = (at: unknown, expected: number): boolean => Math.abs(Date.parse(String(at)) - expected) < 20_000;
