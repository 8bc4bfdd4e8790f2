/**
 * Checks that the average of each level is explained by the entries that are not reversed (D-16). Earlier releases distorted averages:
 * the cost of a reversed receipt valued stock that was found later, and reversals left averages that nothing had cost.
 */
import { MICRO, multiplyMicro } from '../kernel/numbers.ts';
import { type LevelKey, toLevelId } from '../stock/levels.ts';
import type { LedgerRecord, StockLevelRecord } from '../stock/records.ts';
import { RemainingCostSummary } from '../stock/valuation/remaining-costs.ts';
import { type CostBounds, clampCost } from '../stock/valuation/valuation.ts';
import type { ReadTx } from '../tables.ts';

/** A level whose average does not follow from its entries. All numbers are in micro-units. */
export interface DistortedLevel extends LevelKey {
  readonly onHand: number;
  readonly stockValue: number;
  readonly averageCost: number;
  /** What the average should be; null if nothing that remains has a cost. */
  readonly explained: number | null;
}

/** The distorted ones of these levels. `entriesByLevel` has all entries of each level by number. */
export async function findDistortedLevels(
  tx: ReadTx,
  rows: readonly StockLevelRecord[],
  entriesByLevel: ReadonlyMap<string, readonly LedgerRecord[]>,
): Promise<DistortedLevel[]> {
  const levels = rows.map((row) => ({ row, entries: entriesByLevel.get(row.id) ?? [] }));
  const corrected = await correctFoundCosts(
    tx,
    levels.flatMap(({ entries }) => listCostsAfterReversals(entries)),
  );
  return levels.flatMap(({ row, entries }) => {
    const { itemId, siteId, onHand, stockValue, averageCost } = row;
    if (averageCost === null || entries.length === 0) return [];
    const explained = explainAverage(row, averageCost, entries, corrected);
    return isClose(onHand, averageCost, explained) ? [] : [{ itemId, siteId, onHand, stockValue, averageCost, explained }];
  });
}

/** The average itself if the entries explain it, else the nearest that they do. */
function explainAverage(
  { onHand }: StockLevelRecord,
  averageCost: number,
  entries: readonly LedgerRecord[],
  corrected: ReadonlyMap<number, number>,
): number | null {
  const summary = new RemainingCostSummary();
  const issued: number[] = [];
  const reversed = new Set(entries.map(({ reversalOf }) => reversalOf));
  for (const entry of entries.toReversed()) {
    const found = corrected.get(entry.seq);
    summary.add(found === undefined ? entry : { ...entry, unitCost: found, averageAfter: found });
    if (entry.reversalOf === null && !reversed.has(entry.seq)) issued.push(entry.unitCost, entry.averageAfter ?? entry.unitCost);
  }
  const { bounds, lastAverage } = summary.get();
  if (onHand > 0) return bounds === null ? averageCost : clampCost(averageCost, bounds);
  if (lastAverage === null) return null;
  const isWithin = ({ lowest, highest }: CostBounds): boolean => lowest <= averageCost && averageCost <= highest;
  // Stock owed keeps its estimated cost, which is that of an issue, when something comes in at another one.
  const isEstimate =
    !entries.some(({ seq }) => corrected.has(seq)) && isWithin({ lowest: Math.min(...issued), highest: Math.max(...issued) });
  return isEstimate || (bounds !== null && isWithin(bounds)) ? averageCost : lastAverage;
}

/** Earlier releases rounded averages again with each receipt. */
function isClose(onHand: number, averageCost: number, explained: number | null): boolean {
  if (explained === null || explained === averageCost) return explained !== null;
  const quantity = Math.max(Math.abs(onHand), MICRO);
  const difference = Math.abs(multiplyMicro(quantity, averageCost) - multiplyMicro(quantity, explained));
  return difference <= 2 + Math.ceil(quantity / MICRO) + multiplyMicro(quantity, explained) / 1_000;
}

interface FoundCost {
  readonly entry: LedgerRecord;
  /** The average that a reversal should have left; null if none. */
  readonly right: number | null;
}

/** Entries that came in at the average that a reversal left with nothing on hand, if that was not the right one. */
function listCostsAfterReversals(entries: readonly LedgerRecord[]): FoundCost[] {
  return entries.flatMap((entry, index): FoundCost[] => {
    const previous = entries[index - 1];
    if (!previous || previous.reversalOf === null || previous.onHandAfter !== 0 || entry.quantityDelta <= 0) return [];
    if (entry.reversalOf !== null || entry.unitCost !== previous.averageAfter) return [];
    const summary = new RemainingCostSummary();
    for (const earlier of entries.slice(0, index).toReversed()) summary.add(earlier);
    const { lastAverage: right } = summary.get();
    return right === entry.unitCost ? [] : [{ entry, right }];
  });
}

/** The right cost of those that took the average because no cost was given, by entry number. */
async function correctFoundCosts(tx: ReadTx, found: readonly FoundCost[]): Promise<ReadonlyMap<number, number>> {
  const [lines, documents, items] = await Promise.all([
    tx.stockDocumentLines.getMany(found.map(({ entry }) => entry.documentLineId)),
    tx.stockDocuments.getMany(found.map(({ entry }) => entry.documentId)),
    tx.items.getMany(found.map(({ entry }) => entry.itemId)),
  ]);
  return new Map(
    found.flatMap(({ entry, right }, index): [number, number][] => {
      const { type } = documents[index] ?? {};
      const tookAverage = (type === 'count' || type === 'adjustment') && lines[index]?.unitCost === null;
      return tookAverage ? [[entry.seq, right ?? items[index]?.purchasePrice ?? 0]] : [];
    }),
  );
}

/** All entries of the items of these levels, by level and number. One read serves all checks of a page. */
export function loadEntriesByLevel(tx: ReadTx, rows: readonly StockLevelRecord[]): Promise<ReadonlyMap<string, readonly LedgerRecord[]>> {
  const loaded = entriesOfPages.get(rows);
  if (loaded) return loaded;
  const itemIds = [...new Set(rows.map(({ itemId }) => itemId))];
  const loading = tx.ledger
    .listAfter({ where: [{ field: 'itemId', in: itemIds }], orderBy: 'seq', limit: Number.MAX_SAFE_INTEGER })
    .then((page) => Map.groupBy(page.rows, toLevelId));
  entriesOfPages.set(rows, loading);
  return loading;
}

const entriesOfPages = new WeakMap<readonly StockLevelRecord[], Promise<ReadonlyMap<string, readonly LedgerRecord[]>>>();
