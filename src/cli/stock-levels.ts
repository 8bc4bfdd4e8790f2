/** How stock levels are listed: what is short is marked with a word, never with a colour alone. */
import type { StockLevel } from '../contract/stock-levels.ts';

// The alert stands before the numbers, where no narrow screen leaves it out.
export const LEVEL_COLUMNS = [
  'item.name',
  'item.sku',
  'site.name',
  'alert',
  'onHand',
  'available',
  'projected',
  'unit.symbol',
  'reorderPoint',
  'committed',
  'incoming',
  'averageCost',
  'stockValue',
  'lastMovementAt',
  'itemId',
  'siteId',
];

/** Of no use in part. */
export const LEVEL_WHOLE = ['item.sku', 'alert', 'lastMovementAt'];

export const LEVEL_ALERT = { alert: (row: unknown) => alertOf(row as StockLevel) };

export function alertOf({ onHand, isLow }: Pick<StockLevel, 'onHand' | 'isLow'>): string | null {
  if (onHand < 0) return 'BELOW ZERO';
  return isLow === true ? 'LOW' : null;
}
