/** Recognizes receipt lines that were divided among order lines, for what applies a document again. D-6. */
import type { StockLineDraft } from '../../contract/resources/stock-lines.ts';
import { loadLineCatalog } from '../catalog/item-lines.ts';
import type { ItemRecord, UnitRecord } from '../catalog/records.ts';
import { convertToStock, getStockFactor } from '../catalog/unit-conversion.ts';
import { toMicro } from '../kernel/numbers.ts';
import type { StockDocumentRecord, StockLineRecord } from '../stock/records.ts';
import type { ReadTx } from '../tables.ts';

/** The lines as they were drafted: the parts of a divided line, which are at the end, are joined with its first one. */
export async function joinDividedLines(
  tx: ReadTx,
  { type, orderId }: Pick<StockDocumentRecord, 'type' | 'orderId'>,
  drafts: readonly StockLineDraft[],
  lines: readonly StockLineRecord[],
): Promise<readonly StockLineRecord[]> {
  if (type !== 'receipt' || orderId === null || lines.length <= drafts.length) return lines;
  const { items, units } = await loadLineCatalog(tx, drafts, []);
  const parts = lines.slice(drafts.length);
  const joined = lines.slice(0, drafts.length).map((first, index) => {
    const { itemId, unitId, quantity, orderLineId } = drafts[index]!;
    const item = items.get(itemId);
    if (!item || typeof quantity !== 'number' || typeof orderLineId === 'string') return first;
    const wanted = toStock(units, item, toMicro(quantity, '/quantity'), unitId ?? item.unitId);
    let stock = first.stockQuantity;
    while (stock < wanted && parts[0]?.itemId === itemId) stock += parts.shift()!.stockQuantity;
    if (stock !== wanted || stock === first.stockQuantity) return first;
    return { ...first, quantity: toMicro(quantity, '/quantity'), unitId: unitId ?? item.unitId, stockQuantity: stock };
  });
  return [...joined, ...parts];
}

function toStock(units: ReadonlyMap<string, UnitRecord>, item: ItemRecord, quantity: number, unitId: string | null): number {
  const unit = units.get(unitId ?? '') ?? null;
  const stockUnit = units.get(item.unitId ?? '') ?? null;
  return convertToStock(quantity, getStockFactor(item, unit, stockUnit, undefined, '/unitId'), stockUnit, '/quantity');
}
