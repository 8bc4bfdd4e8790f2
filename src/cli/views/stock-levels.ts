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

const putFirst = (columns: readonly string[]): string[] => [...columns, ...LEVEL_COLUMNS.filter((column) => !columns.includes(column))];

/** At a terminal of 80 columns, with the unit of the quantities. */
export const LEVEL_TABLE_COLUMNS = putFirst(['item.name', 'item.sku', 'site.name', 'alert', 'onHand', 'available', 'unit.symbol']);

/** At a terminal with --low-stock: next to the quantities that make an item low. */
export const LOW_STOCK_COLUMNS = putFirst([
  'item.name',
  'item.sku',
  'site.name',
  'alert',
  'onHand',
  'projected',
  'reorderPoint',
  'unit.symbol',
]);

/** Columns that are not shortened. */
export const LEVEL_NEVER_TRUNCATED = ['item.sku', 'alert', 'lastMovementAt'];

export const LEVEL_ALERT = { alert: (row: unknown) => getAlert(row as StockLevel) };

export function getAlert({ onHand, available, isLow }: Pick<StockLevel, 'onHand' | 'available' | 'isLow'>): string | null {
  if (onHand < 0) return 'BELOW ZERO';
  if (available !== null && available < 0) return 'OVERSOLD';
  return isLow === true ? 'LOW' : null;
}
