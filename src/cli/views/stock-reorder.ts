/** Columns of items to reorder. */
import type { StockLevel } from '../../contract/resources/stock-levels.ts';

/** Columns at a terminal, which shows the commands below the table: there they are never cut. */
export const REORDER_TABLE_COLUMNS = [
  'item.sku',
  'item.name',
  'reason',
  'onHand',
  'committed',
  'incoming',
  'site.name',
  'reorderPoint',
] as const;

export const REORDER_COLUMNS = [...REORDER_TABLE_COLUMNS, 'command', 'note'] as const;

/** A row with its command, null if none is needed or possible. */
export type ReorderRow = StockLevel & { readonly command: string | null };

export const REORDER_DERIVED = {
  reason: (row: unknown) => getReason(row as ReorderRow),
  note: (row: unknown) => getReorderNote(row as ReorderRow),
};

const getReason = ({ available }: ReorderRow): string => ((available ?? 0) < 0 ? 'oversold' : 'low');

/** Why a row has no command. */
export function getReorderNote({ command, projected, reorderPoint }: ReorderRow): string | null {
  if (command !== null) return null;
  const isEnough = (projected ?? 0) >= 0 && (reorderPoint === null || (projected ?? 0) > reorderPoint);
  return isEnough ? 'incoming stock is enough' : 'no supplier or ingredients';
}
