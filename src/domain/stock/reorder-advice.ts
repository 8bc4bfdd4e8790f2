/** Which order replenishes a level that is low or oversold. D-17. */
import { listIngredientsOf } from '../catalog/ingredient-needs.ts';
import type { SupplierLinkRecord } from '../catalog/records.ts';
import { toSupplierLinkId } from '../catalog/suppliers.ts';
import { MICRO } from '../kernel/numbers.ts';
import { getDistinctIds, getReferencedRows, getRowsById } from '../kernel/rows.ts';
import type { ReadTx } from '../tables.ts';
import { listShortLevelIds } from './levels.ts';
import type { StockLevelRecord } from './records.ts';

export interface ReorderAdvice {
  readonly module: 'buy' | 'make';
  /** Null for production. */
  readonly supplierId: string | null;
  /** In purchase units when bought, otherwise in stock units. */
  readonly quantity: number;
  readonly unitId: string | null;
}

/** Stock is filled to this multiple of the reorder point. */
const FILL_FACTOR = 2;
const MAX_DECIMALS = 6;

/** Levels at or below their reorder point, and those with more committed than on hand, by what is available. */
export async function listLevelsToReorder(tx: ReadTx): Promise<StockLevelRecord[]> {
  const levels = await getRowsById(tx.stockLevels, await listShortLevelIds(tx));
  return [...levels.values()].sort((a, b) => a.available - b.available);
}

interface Need {
  readonly level: Pick<StockLevelRecord, 'itemId'>;
  /** In stock units. */
  readonly needed: number;
}

/** By need, in the same order: null if nothing is needed, or if the item has neither a supplier nor ingredients. */
export async function adviseReorders(tx: ReadTx, needs: readonly Need[]): Promise<(ReorderAdvice | null)[]> {
  const itemIds = getDistinctIds(needs.filter(({ needed }) => needed > 0).map(({ level }) => level.itemId));
  const [items, ingredients] = await Promise.all([getRowsById(tx.items, itemIds), listIngredientsOf(tx, itemIds)]);
  const linkIds = [...items.values()].flatMap(({ id, supplierId }) => (supplierId === null ? [] : [toSupplierLinkId(id, supplierId)]));
  const [units, links] = await Promise.all([
    getReferencedRows(tx.units, [...items.values()], ({ unitId }) => unitId),
    getRowsById(tx.supplierLinks, linkIds),
  ]);
  return needs.map(({ level, needed }) => {
    const item = needed > 0 ? items.get(level.itemId) : undefined;
    if (!item) return null;
    const { supplierId, unitId } = item;
    if (ingredients.has(item.id)) {
      return { module: 'make', supplierId: null, quantity: roundUp(needed / MICRO, units.get(unitId ?? '')?.precision ?? 0), unitId };
    }
    const link = supplierId === null ? undefined : links.get(toSupplierLinkId(item.id, supplierId));
    return link ? { module: 'buy', supplierId, quantity: getPurchaseQuantity(needed, link), unitId: link.purchaseUnitId ?? unitId } : null;
  });
}

/** What is missing after everything incoming arrived, and what drafts bring. */
export function getNeededQuantity({ projected, reorderPoint }: Pick<StockLevelRecord, 'projected' | 'reorderPoint'>, drafted = 0): number {
  const expected = projected + drafted;
  const needed = (reorderPoint ?? 0) * FILL_FACTOR - expected;
  if (reorderPoint !== null && expected <= reorderPoint) return Math.max(needed, MICRO);
  return expected < 0 ? needed : 0;
}

type PurchaseTerms = Pick<SupplierLinkRecord, 'purchaseUnitId' | 'unitsPerPurchaseUnit' | 'minOrderQuantity' | 'orderMultiple'>;

/** In whole purchase units that obey the terms of the supplier. */
export function getPurchaseQuantity(needed: number, link: PurchaseTerms): number {
  // Without a purchase unit, order lines are in the unit of the item.
  const unitsPerLineUnit = link.purchaseUnitId === null ? MICRO : link.unitsPerPurchaseUnit;
  const wanted = Math.max(Math.ceil(needed / unitsPerLineUnit), (link.minOrderQuantity ?? 0) / MICRO);
  const multiple = (link.orderMultiple ?? 0) / MICRO;
  return multiple === 0 ? wanted : roundUp(Math.ceil(wanted / multiple) * multiple, MAX_DECIMALS);
}

/** Rounds up, except for the rounding errors of binary fractions. */
const roundUp = (quantity: number, decimals: number): number => Math.ceil(Number((quantity * 10 ** decimals).toFixed(3))) / 10 ** decimals;
