/** Finds entries of the ledger by time. Later entries have later times, unless the clock was set back. */
import type { ReadTx } from '../tables.ts';

/** The number of the last entry that was posted before a time, or at it if `includes`; 0 if there is none. */
export async function findLastSequence(tx: ReadTx, time: string, includes: 'before' | 'at'): Promise<number> {
  const [newest] = (await tx.ledger.listAfter({ orderBy: 'seq', descending: true, limit: 1 })).rows;
  let before = 0;
  let after = (newest?.seq ?? 0) + 1;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    const [entry] = (await tx.ledger.listAfter({ where: [{ field: 'seq', from: middle }], orderBy: 'seq', limit: 1 })).rows;
    const isBefore = entry !== undefined && (entry.postedAt < time || (includes === 'at' && entry.postedAt === time));
    if (isBefore) before = middle;
    else after = middle;
  }
  return before;
}
