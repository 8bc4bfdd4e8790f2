/** What the entries of levels that are not reversed say about their costs (D-16). They are read from the newest one, as far as needed. */
import { type LevelKey, toLevelId } from '../levels.ts';
import type { LedgerRecord } from '../records.ts';
import { type CostBounds, type RemainingCosts, clampCost } from './valuation.ts';
import type { ReadTx } from '../../tables.ts';

/** What of an entry counts for the costs of its level. */
export type CostEntry = Pick<
  LedgerRecord,
  'seq' | 'quantityDelta' | 'onHandAfter' | 'unitCost' | 'averageAfter' | 'reversalOf' | 'revaluation'
>;

/**
 * The cost that an entry gives the stock at its level: of what came in, its unit cost; of a revaluation, the average that it set. Null for
 * entries that follow the average, and for variances.
 */
export function getEntryCost({ quantityDelta, onHandAfter, unitCost, averageAfter, revaluation = null }: CostEntry): number | null {
  if (quantityDelta > 0) return unitCost;
  if (revaluation === 'revaluation') return averageAfter;
  // Of what no output on hand can take, a variance follows.
  return revaluation === 'late_components' && onHandAfter > 0 && averageAfter !== null && averageAfter >= 0 ? averageAfter : null;
}

/** Collects the costs of a level from its entries, newest first. */
export class RemainingCostSummary {
  /** Reversals of these entries were met, or follow. */
  readonly #reversed: Set<number>;
  #firstReversed: number;
  #last: { readonly average: number | null; readonly isExact: boolean } | undefined;
  #bounds: CostBounds | null = null;
  /** `reversing` has the numbers of the entries that are about to be reversed. */
  constructor(reversing: readonly number[] = []) {
    this.#reversed = new Set(reversing);
    this.#firstReversed = Math.min(Infinity, ...reversing);
  }

  add(entry: CostEntry): void {
    const { seq, reversalOf, averageAfter } = entry;
    if (reversalOf !== null) {
      this.#reversed.add(reversalOf);
      this.#firstReversed = Math.min(this.#firstReversed, reversalOf);
      return;
    }
    if (this.#reversed.delete(seq)) return;
    // Otherwise an entry that is reversed since then was part of the average.
    this.#last ??= { average: averageAfter, isExact: this.#firstReversed > seq };
    const cost = getEntryCost(entry);
    if (cost === null) return;
    const { lowest, highest } = this.#bounds ?? { lowest: cost, highest: cost };
    this.#bounds = { lowest: Math.min(lowest, cost), highest: Math.max(highest, cost) };
  }

  /** Whether earlier entries cannot change the result of a reversal that leaves stock at `cost`, or nothing on hand if that is null. */
  isSufficient(cost: number | null): boolean {
    const bounds = this.#bounds;
    // A difference of one micro-unit is rounding.
    const isWithin = (value: number): boolean => bounds !== null && bounds.lowest <= value + 1 && value - 1 <= bounds.highest;
    if (cost !== null) return isWithin(cost);
    return this.#last !== undefined && (this.#last.isExact || this.#last.average === null || isWithin(this.#last.average));
  }

  get(): RemainingCosts {
    const { average = null, isExact = true } = this.#last ?? {};
    const bounds = this.#bounds;
    return { bounds, lastAverage: average === null || isExact || bounds === null ? average : clampCost(average, bounds) };
  }
}

/** A level whose costs are needed. */
export interface CostQuestion extends LevelKey {
  /** The numbers of the entries that are about to be reversed. */
  readonly reversing: readonly number[];
  /** The cost to compare; null if nothing will be on hand. */
  readonly cost: number | null;
}

const FIRST_PAGE = 100;
const NEXT_PAGES = 2_000;

/** The remaining costs of levels, by level id. Reads only as many entries as can change the result of the reversal. */
export async function findRemainingCosts(tx: ReadTx, questions: readonly CostQuestion[]): Promise<ReadonlyMap<string, RemainingCosts>> {
  const summaries = new Map(questions.map((question) => [toLevelId(question), new RemainingCostSummary(question.reversing)]));
  let pending = questions;
  let last: LedgerRecord | undefined;
  while (pending.length > 0) {
    const { rows, more }: { rows: LedgerRecord[]; more: boolean } = await tx.ledger.listAfter({
      where: [
        { field: 'itemId', in: [...new Set(pending.map(({ itemId }) => itemId))] },
        { field: 'siteId', in: [...new Set(pending.map(({ siteId }) => siteId))] },
      ],
      orderBy: 'seq',
      descending: true,
      limit: last ? NEXT_PAGES : FIRST_PAGE,
      ...(last ? { after: { values: [last.seq], id: last.id } } : {}),
    });
    for (const row of rows) summaries.get(toLevelId(row))?.add(row);
    last = rows.at(-1);
    pending = more ? pending.filter((question) => summaries.get(toLevelId(question))?.isSufficient(question.cost) === false) : [];
  }
  return new Map([...summaries].map(([id, summary]) => [id, summary.get()]));
}
