/** What must be true of the values of stock after anything that was posted or reversed (D-15, D-16), derived from the ledger again. */
import { expect } from 'vitest';
import type { LedgerRecord, StockDocumentRecord, StockLevelRecord } from '../../../src/domain/stock/records.ts';
import type { ReadTx } from '../../../src/domain/tables.ts';

const MICRO = 1_000_000;
const ALL = Number.MAX_SAFE_INTEGER;
const VARIANCES = ['owed_stock', 'variance', 'reversal_variance', 'revaluation'];

interface Stored {
  readonly levels: readonly StockLevelRecord[];
  readonly ledger: readonly LedgerRecord[];
  readonly documents: readonly StockDocumentRecord[];
}

export const readStock = async (tx: ReadTx): Promise<Stored> => ({
  levels: (await tx.stockLevels.listAfter({ limit: ALL })).rows,
  ledger: (await tx.ledger.listAfter({ orderBy: 'seq', limit: ALL })).rows,
  documents: (await tx.stockDocuments.listAfter({ limit: ALL })).rows,
});

const sumValues = (entries: readonly LedgerRecord[]): number => entries.reduce((sum, { valueDelta }) => sum + valueDelta, 0);

/** Everything that came in, less what left and what variances took, is in the levels; and every average is explained. */
export function checkValues(stored: Stored): void {
  checkConservation(stored);
  const reversed = new Set(stored.ledger.map(({ reversalOf }) => reversalOf));
  for (const level of stored.levels) {
    const entries = stored.ledger.filter(({ itemId, siteId }) => itemId === level.itemId && siteId === level.siteId);
    checkAverage(
      level,
      entries.filter(({ seq, reversalOf }) => reversalOf === null && !reversed.has(seq)),
    );
  }
}

function checkConservation({ levels, ledger, documents }: Stored): void {
  const isMoved = ({ revaluation }: LedgerRecord): boolean => !VARIANCES.includes(revaluation ?? '');
  let [moved, variances] = [0, 0];
  for (const { id, type, orderId, reversedAt, totalVariance = 0 } of documents) {
    const own = ledger.filter(({ documentId }) => documentId === id);
    const sum = sumValues(own.filter(isMoved));
    const isConserved = reversedAt !== null || type === 'transfer' || type === 'revaluation' || (type === 'production' && orderId === null);
    if (isConserved) expect(sum, `${type} ${String(reversedAt)}`).toBe(0);
    expect(sumValues(own), type).toBe(sum - totalVariance);
    // A reversed document counts for nothing, except for its variances.
    moved += reversedAt === null ? sum : 0;
    variances += totalVariance;
  }
  expect(levels.reduce((sum, { stockValue }) => sum + stockValue, 0)).toBe(moved - variances);
}

/** Rounds down and up, so that a rounded cost is never outside. */
const toCosts = ({ quantityDelta, valueDelta, unitCost }: LedgerRecord): number[] => {
  const cost = (valueDelta / quantityDelta) * MICRO;
  return [Math.floor(cost), Math.ceil(cost), unitCost];
};

function checkAverage({ onHand, stockValue, averageCost }: StockLevelRecord, remaining: readonly LedgerRecord[]): void {
  const at = JSON.stringify({ onHand, stockValue, averageCost, remaining });
  if (onHand === 0) expect(stockValue, at).toBe(0);
  if (averageCost === null) return expect([onHand, remaining.length], at).toEqual([0, 0]);
  const incoming = remaining.filter(({ quantityDelta }) => quantityDelta > 0).flatMap(toCosts);
  const set = remaining.filter(({ revaluation }) => revaluation === 'revaluation' || revaluation === 'late_components');
  const averages = set.flatMap(({ averageAfter }) => averageAfter ?? []);
  const estimates = remaining.flatMap((entry) => [entry.unitCost, entry.averageAfter ?? entry.unitCost]);
  // Stock owed, and the memory of an average, may have the cost of an issue.
  const costs = [...incoming, ...averages, ...(onHand > 0 ? [] : estimates)];
  expect(averageCost, at).toBeGreaterThanOrEqual(Math.min(...costs));
  expect(averageCost, at).toBeLessThanOrEqual(Math.max(...costs));
  // Issues round the value, not the average.
  const rounding = remaining.length + Math.abs(onHand) / MICRO;
  expect(Math.abs(stockValue - (onHand * averageCost) / MICRO), at).toBeLessThanOrEqual(rounding + 1);
}
