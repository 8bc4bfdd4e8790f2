/** Events of stock levels, which only the change log has. D-23. */
import { recordEvents } from '../events/record-events.ts';
import type { Context } from '../kernel/context.ts';
import { fromMicroOrNull } from '../kernel/numbers.ts';
import type { Tx } from '../tables.ts';
import type { StockLevelRecord } from './records.ts';

/** What the events call a level. */
export const toLevelResourceId = ({ itemId, siteId }: Pick<StockLevelRecord, 'itemId' | 'siteId'>): string => `${itemId}:${siteId}`;

/** The fields that events have. Reorder points have an event of their own; the value of the stock follows from its documents. */
const FIELDS = ['onHand', 'committed', 'incoming', 'available', 'projected', 'averageCost'] as const;

type Quantities = { readonly [F in (typeof FIELDS)[number]]: number | null };
const NONE: Quantities = { onHand: 0, committed: 0, incoming: 0, available: 0, projected: 0, averageCost: null };

/** Records an event of each level whose quantities or average cost differ from the row before. */
export async function recordLevelEvents(
  tx: Tx,
  context: Context,
  changed: readonly { readonly before: StockLevelRecord | undefined; readonly after: StockLevelRecord }[],
): Promise<void> {
  const drafts = changed.map(({ before = NONE, after }) => {
    const { itemId, siteId, updatedAt } = after;
    const figures: Record<string, number | null> = {};
    for (const field of FIELDS) figures[field] = fromMicroOrNull(after[field]);
    return {
      name: 'stock_level.updated' as const,
      resourceId: toLevelResourceId(after),
      updatedAt,
      changes: FIELDS.filter((field) => before[field] !== after[field]),
      data: { itemId, siteId, ...figures },
    };
  });
  await recordEvents(
    tx,
    context,
    drafts.filter(({ changes }) => changes.length > 0),
  );
}
