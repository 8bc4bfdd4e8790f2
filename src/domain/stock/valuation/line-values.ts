/**
 * The values that the lines of documents posted and reversed (D-13). They are read from the ledger, which is the only record of values, so
 * the lines of an item and site add up to the value of its level. All numbers are in micro-units.
 */
import type { Entry } from '../ledger.ts';
import { type LevelKey, toLevelId } from '../levels.ts';
import { type StockDocumentRecord, type StockLineRecord, isVariance } from '../records.ts';
import type { ReadTx } from '../../tables.ts';

/** How much one line changed the value of one level. */
export interface LineValue extends LevelKey {
  readonly posted: number;
  readonly reversed: number;
  /** The parts of both that the level lost to variances: `posted + postedVariance` is the value of the movement at its own cost. */
  readonly postedVariance: number;
  readonly reversedVariance: number;
}

/** By line id. A line without ledger entries has none. */
export type LineValues = ReadonlyMap<string, readonly LineValue[]>;

/** The values of the lines of one document. */
export async function loadLineValues(
  tx: ReadTx,
  { id, approvedAt }: Pick<StockDocumentRecord, 'id' | 'approvedAt'>,
  lines: readonly StockLineRecord[],
): Promise<LineValues> {
  if (approvedAt === null) return new Map();
  const where = [{ field: 'documentId', equals: id }];
  const { rows } = await tx.ledger.listAfter({ where, orderBy: 'seq', limit: Number.MAX_SAFE_INTEGER });
  return sumLineValues(lines, rows);
}

/** The same from given entries; those that belong to none of the lines are ignored. */
export function sumLineValues(lines: readonly Pick<StockLineRecord, 'id' | 'documentId'>[], entries: readonly Entry[]): LineValues {
  const entriesByLine = Map.groupBy(entries, ({ documentLineId }) => documentLineId);
  return new Map(
    lines.map(({ id, documentId }) => {
      const ownEntries = (entriesByLine.get(id) ?? []).filter((entry) => entry.documentId === documentId);
      return [id, [...Map.groupBy(ownEntries, toLevelId).values()].flatMap(sumLevelValue)];
    }),
  );
}

function sumLevelValue(entries: readonly Entry[]): LineValue[] {
  const [first] = entries;
  if (!first) return [];
  const sum = (of: readonly Entry[]): number => of.reduce((total, { valueDelta }) => total + valueDelta, 0);
  const [postings, reversals] = [
    entries.filter(({ reversalOf }) => reversalOf === null),
    entries.filter(({ reversalOf }) => reversalOf !== null),
  ];
  const [posted, reversed] = [sum(postings), sum(reversals)];
  const postedVariance = 0 - sum(postings.filter(isVariance));
  // A reversal takes back the movement at its own cost. Entries of earlier releases have the difference, but do not name it.
  const reversedVariance = reversals.length === 0 ? 0 : 0 - (posted + postedVariance + reversed);
  return [{ itemId: first.itemId, siteId: first.siteId, posted, reversed, postedVariance, reversedVariance }];
}
