/** What lines of orders and stock documents, and their effects on stock, show of their item and unit: both as they are now. */
import type { unitRef } from '../contract/resources/ingredients.ts';
import type { itemRef } from '../contract/resources/items.ts';
import type { Infer } from '../contract/schema/builder.ts';
import type { StockEffect, StockEffectWithUnit } from '../contract/resources/stock-effects.ts';
import { type LineCatalog, loadLineCatalog } from '../domain/catalog/item-lines.ts';
import type { ReadTx } from '../domain/tables.ts';
import { presentUnitRef } from './ingredients.ts';
import { presentItemRef } from './items.ts';

interface ItemAndUnit {
  readonly item: Infer<typeof itemRef> | null;
  readonly unit: Infer<typeof unitRef> | null;
}

export function presentItemAndUnit(
  { itemId, unitId }: { readonly itemId: string | null; readonly unitId: string | null },
  { items, units }: LineCatalog,
): ItemAndUnit {
  const item = items.get(itemId ?? '');
  return { item: item ? presentItemRef(item) : null, unit: presentUnitRef(units.get(unitId ?? '')) };
}

/** Effects with the units of their items. */
export async function presentEffects(tx: ReadTx, effects: readonly StockEffect[]): Promise<StockEffectWithUnit[]> {
  const catalog = await loadLineCatalog(tx, effects);
  return effects.map((effect) => {
    const { itemId } = effect;
    return { ...effect, unit: presentItemAndUnit({ itemId, unitId: catalog.items.get(itemId)?.unitId ?? null }, catalog).unit };
  });
}
