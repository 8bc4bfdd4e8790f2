/** Lines of orders and stock documents in responses: both embed the current state of their item and unit. */
import type { unitRef } from '../contract/resources/ingredients.ts';
import type { itemRef } from '../contract/resources/items.ts';
import type { Infer } from '../contract/schema/builder.ts';
import { loadLineCatalog } from '../domain/catalog/item-lines.ts';
import type { ReadTx } from '../domain/tables.ts';
import { presentItemRef } from './items.ts';

interface LineReferences {
  readonly item: Infer<typeof itemRef> | null;
  readonly unit: Infer<typeof unitRef> | null;
}

interface ItemLine {
  readonly itemId: string | null;
  readonly unitId: string | null;
}

/** Reads the items and units of all lines together. The function presents those of one of the lines. */
export async function loadLinePresenter(tx: ReadTx, lines: readonly ItemLine[]): Promise<(line: ItemLine) => LineReferences> {
  const { items, units } = await loadLineCatalog(tx, lines, []);
  return ({ itemId, unitId }) => {
    const item = items.get(itemId ?? '');
    const unit = units.get(unitId ?? '');
    return { item: item ? presentItemRef(item) : null, unit: unit ? { id: unit.id, name: unit.name, symbol: unit.symbol } : null };
  };
}
