/** Converts stock levels to rows of the tab Stock. */
import type { StockLevel } from '../../contract/resources/stock-levels.ts';
import type { StockRow } from '../state/model.ts';

export function toStockRow(level: StockLevel, command: string | null): StockRow {
  const { itemId, siteId, item, site, unit, onHand, committed, incoming, available, reorderPoint } = level;
  return {
    id: `${itemId} ${siteId}`,
    itemId,
    sku: item.sku,
    name: item.name,
    site: site.name,
    unit: unit?.symbol ?? null,
    onHand,
    committed: committed ?? 0,
    incoming: incoming ?? 0,
    available: available ?? 0,
    reorderPoint,
    command,
  };
}
