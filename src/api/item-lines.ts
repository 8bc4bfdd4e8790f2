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

/** `present` turns one line into its wire form. The items and units of all lines are read together. */
export async function presentItemLines<Line extends { readonly itemId: string | null; readonly unitId: string | null }, Wire>(
  tx: ReadTx,
  lines: readonly Line[],
  present: (line: Line, references: LineReferences) => Wire,
): Promise<Wire[]> {
  const { items, units } = await loadLineCatalog(tx, lines, []);
  return lines.map((line) => {
    const item = items.get(line.itemId ?? '');
    const unit = units.get(line.unitId ?? '');
    return present(line, {
      item: item ? presentItemRef(item) : null,
      unit: unit ? { id: unit.id, name: unit.name, symbol: unit.symbol } : null,
    });
  });
}
