/** Stock levels as they were, from the ledger: each entry has the balance after it and its changes. D-17. */
import type { Condition, Query } from '../kernel/ports.ts';
import type { ReadTx } from '../tables.ts';
import { findLastSequence } from './ledger-time.ts';
import { type LevelKey, toLevelId } from './levels.ts';
import type { LedgerRecord, StockLevelRecord } from './records.ts';

export interface PastLevel {
  /** The level as it is, for the fields of its item. */
  readonly row: StockLevelRecord;
  readonly onHand: number;
  readonly stockValue: number;
  /** The first later entry; undefined if the level is as it was. */
  readonly next: LedgerRecord | undefined;
}

/** The average cost and the time of the last entry. */
export type PastMovement = Pick<StockLevelRecord, 'averageCost' | 'lastMovementAt'>;

const BATCH_SIZE = 2_000;

/** The selected levels at a time, including what was posted at that instant. Reads the entries posted since. */
export async function readPastLevels(
  tx: ReadTx,
  time: string,
  levels: Query,
  only: { readonly itemIds: readonly string[] | undefined; readonly siteIds: readonly string[] | undefined },
): Promise<PastLevel[]> {
  const [last, { rows }] = await Promise.all([
    findLastSequence(tx, time, 'at'),
    tx.stockLevels.listAfter({ ...levels, limit: Number.MAX_SAFE_INTEGER }),
  ]);
  const later = await readFirstLater(tx, last, only);
  return rows.map((row) => {
    const next = later.get(row.id);
    if (next === undefined) return { row, onHand: row.onHand, stockValue: row.stockValue, next };
    return { row, onHand: next.onHandAfter - next.quantityDelta, stockValue: next.valueAfter - next.valueDelta, next };
  });
}

/** The first entry of each level after this number. */
async function readFirstLater(
  tx: ReadTx,
  last: number,
  { itemIds, siteIds }: Parameters<typeof readPastLevels>[3],
): Promise<ReadonlyMap<string, LedgerRecord>> {
  const found = new Map<string, LedgerRecord>();
  const filters: Condition[] = [
    ...(itemIds === undefined ? [] : [{ field: 'itemId', in: itemIds }]),
    ...(siteIds === undefined ? [] : [{ field: 'siteId', in: siteIds }]),
  ];
  for (let after = last; ;) {
    const where = [...filters, { field: 'seq', after }];
    const { rows, more } = await tx.ledger.listAfter({ where, orderBy: 'seq', limit: BATCH_SIZE });
    for (const entry of rows) if (!found.has(toLevelId(entry))) found.set(toLevelId(entry), entry);
    after = rows.at(-1)?.seq ?? after;
    if (!more) return found;
  }
}

/** What the last entry before `next` left; without `next`, the level as it is. */
export async function readPastMovement(tx: ReadTx, { row, next }: PastLevel): Promise<PastMovement> {
  if (next === undefined) return row;
  const entry = await readEntryBefore(tx, next);
  return { averageCost: entry?.averageAfter ?? null, lastMovementAt: entry?.postedAt ?? null };
}

async function readEntryBefore(
  tx: ReadTx,
  { itemId, siteId, seq }: LevelKey & Pick<LedgerRecord, 'seq'>,
): Promise<LedgerRecord | undefined> {
  const where = [
    { field: 'itemId', equals: itemId },
    { field: 'siteId', equals: siteId },
    { field: 'seq', before: seq },
  ];
  return (await tx.ledger.listAfter({ where, orderBy: 'seq', descending: true, limit: 1 })).rows[0];
}
