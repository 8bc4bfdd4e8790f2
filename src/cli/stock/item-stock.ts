/** Items with their stock: what is on hand and available at all sites. */
import { ApiError } from '../../client/errors.ts';
import { iteratePages } from '../../client/pages.ts';
import { PAGE_SIZE_MAX } from '../../contract/limits.ts';
import { type StockLevel, listStockLevels } from '../../contract/resources/stock-levels.ts';
import { withWaitIndicator } from '../output/wait-indicator.ts';
import type { ServiceSession } from '../session/session.ts';

/** The fields that are added to the row of an item. */
export const STOCK_FIELDS = ['onHand', 'available', 'unit.symbol'];

interface ItemRow {
  readonly id: string;
}

/** Adds the stock to the rows of a page. `isOptional`: nothing is added if the key may not read it. */
export async function addStock(
  session: ServiceSession,
  rows: readonly unknown[],
  { isOptional }: { readonly isOptional: boolean },
): Promise<readonly unknown[]> {
  const items = rows as readonly ItemRow[];
  if (items.length === 0) return rows;
  const client = await session.connect();
  const query = { item_id: items.map(({ id }) => id).join(','), page_size: PAGE_SIZE_MAX };
  const levels: StockLevel[] = [];
  const readAll = async () => {
    for await (const { data } of iteratePages(client, listStockLevels, { query })) levels.push(...(data as StockLevel[]));
  };
  try {
    await withWaitIndicator(readAll());
  } catch (error) {
    if (isOptional && error instanceof ApiError && error.code === 'SCOPE_REQUIRED') return rows;
    throw error;
  }
  const byItem = Map.groupBy(levels, ({ itemId }) => itemId);
  return items.map((item) => ({ ...item, ...sumUp(byItem.get(item.id) ?? []) }));
}

/** Quantities have six decimals; their sums in binary have more. */
const add = (quantities: readonly (number | null)[]): number =>
  Number(quantities.reduce<number>((sum, each) => sum + (each ?? 0), 0).toFixed(6));

const sumUp = (levels: readonly StockLevel[]) => ({
  onHand: add(levels.map(({ onHand }) => onHand)),
  available: add(levels.map(({ available }) => available)),
  unit: levels[0]?.unit ?? null,
});
