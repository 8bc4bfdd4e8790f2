/** The tenant's gapless counters: document numbers (D-4) and positions of the event log. */
import type { ReadTx, Tx } from '../tables.ts';

/** Advances a counter and returns its new value; the first is 1. */
export const takeNextNumber = (tx: Tx, counter: string): Promise<number> => takeNextNumbers(tx, counter, 1);

/** Advances a counter by `count` and returns the first of the new values. */
export async function takeNextNumbers(tx: Tx, counter: string, count: number): Promise<number> {
  const first = await getNextNumber(tx, counter);
  if (count > 0) await setCounter(tx, counter, first + count - 1);
  return first;
}

/** The value that the counter has next. */
export const getNextNumber = async (tx: ReadTx, counter: string): Promise<number> => ((await tx.counters.get(counter))?.value ?? 0) + 1;

export const setCounter = (tx: Tx, counter: string, value: number): Promise<void> => tx.counters.put({ id: counter, value });
