/** Columns of stock levels. Shortages are marked with a word, not only with a color. */
import type { StockLevel } from '../../contract/resources/stock-levels.ts';

// The alert comes before the numbers, so that a narrow terminal does not hide it.
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

/** At a terminal with --low-stock: next to the quantities that make an item low. */
const LOW_STOCK_FIRST = ['item.name', 'item.sku', 'site.name', 'alert', 'onHand', 'projected', 'reorderPoint'];
export const LOW_STOCK_COLUMNS = [...LOW_STOCK_FIRST, ...LEVEL_COLUMNS.filter((column) => !LOW_STOCK_FIRST.includes(column))];

/** Columns that are not shortened. */
export const LEVEL_NEVER_TRUNCATED = ['item.sku', 'alert', 'lastMovementAt'];

export const LEVEL_ALERT = { alert: (row: unknown) => getAlert(row as StockLevel) };

export function getAlert({ onHand, available, isLow }: Pick<StockLevel, 'onHand' | 'available' | 'isLow'>): string | null {
  if (onHand < 0) return 'BELOW ZERO';
  if (available !== null && available < 0) return 'OVERSOLD';
  return isLow === true ? 'LOW' : null;
}
