/** Items with their stock: what is on hand and available at all sites. */
import { ApiError, isUnsupported } from '../../client/errors.ts';
import { iteratePagesOf } from '../../client/lists/pages.ts';
import { type StockLevel, listStockLevels } from '../../contract/resources/stock-levels.ts';
import { Failure } from '../errors/failure.ts';
import { roundSum } from '../output/numbers.ts';
import { withWaitIndicator } from '../output/wait-indicator.ts';
import type { ServiceSession } from '../session/session.ts';

/** The fields that are added to the row of an item. */
export const STOCK_FIELDS = ['onHand', 'available', 'unit.symbol'];

/** Adds the stock to the rows of a page. `isOptional`: nothing is added if the key may not read it, or the service cannot select it. */
export async function addStock(
  session: ServiceSession,
  rows: readonly unknown[],
  { isOptional }: { readonly isOptional: boolean },
): Promise<readonly unknown[]> {
  const items = rows as readonly { readonly id: string }[];
  if (items.length === 0) return rows;
  const client = await session.connect();
  const wanted = new Set(items.map(({ id }) => id));
  const levels: StockLevel[] = [];
  let isSelected = true;
  const readAll = async () => {
    for await (const { data } of iteratePagesOf(client, listStockLevels, 'item_id', [...wanted])) {
      levels.push(...(data as StockLevel[]));
      // A service that does not know the parameter may ignore it, and would send all levels.
      isSelected = levels.every(({ itemId }) => wanted.has(itemId));
      if (!isSelected) return;
    }
  };
  try {
    await withWaitIndicator(readAll());
  } catch (error) {
    const mayNotRead = error instanceof ApiError && error.code === 'SCOPE_REQUIRED';
    if (isOptional && (mayNotRead || isUnsupported(error, ['item_id']))) return rows;
    throw error;
  }
  if (!isSelected && isOptional) return rows;
  if (!isSelected)
    throw new Failure('UNSUPPORTED', 'This service cannot list the stock of some items', {
      hint: 'List all with `stockroom stock levels`',
    });
  const byItem = Map.groupBy(levels, ({ itemId }) => itemId);
  return items.map((item) => ({ ...item, ...sumUp(byItem.get(item.id) ?? []) }));
}

const add = (quantities: readonly (number | null)[]): number => roundSum(quantities.reduce<number>((sum, each) => sum + (each ?? 0), 0));

const sumUp = (levels: readonly StockLevel[]) => ({
  onHand: add(levels.map(({ onHand }) => onHand)),
  available: add(levels.map(({ available }) => available)),
  unit: levels[0]?.unit ?? null,
});
