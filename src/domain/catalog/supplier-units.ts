/**
 * Supplier links state the item's units per purchase unit. If the item gets another unit of the same dimension, they are converted:
 * a bag of 60 kg holds 60,000 g. D-11.
 */
import type { Context } from '../kernel/context.ts';
import { checkUnreferenced } from '../kernel/references.ts';
import type { ItemRecord, SupplierLinkRecord } from './records.ts';
import { USE_CURRENT_UNIT } from './item-usage.ts';
import { MICRO } from '../kernel/numbers.ts';
import { saveLink, listSupplierLinks } from './suppliers.ts';
import type { Tx } from '../tables.ts';
import { type Ratio, getUnitRatio, findUnit } from './unit-ratios.ts';
import { NUMBER_BOUND } from '../../contract/limits.ts';

/** Converts the links of an item that got another unit. Throws 409 if one cannot be converted. `item` is already stored. */
export async function convertSupplierUnits(tx: Tx, context: Context, before: ItemRecord, item: ItemRecord): Promise<void> {
  // Numbers without a unit stay the same when the item gets its first unit.
  if (before.unitId === null || before.unitId === item.unitId) return;
  const links = (await listSupplierLinks(tx, item.id)).filter(dependsOnUnit);
  if (links.length === 0) return;
  const ratio = getUnitRatio(await findUnit(tx, before.unitId), await findUnit(tx, item.unitId));
  const converted = links.map((link) => ({ link, units: ratio && convertUnitsPerPurchaseUnit(link, ratio) }));
  const inconvertible = converted.filter(({ units }) => units === undefined).length;
  await checkUnreferenced('item', { supplierLinks: { count: inconvertible } }, USE_CURRENT_UNIT);
  for (const { link, units } of converted) {
    if (units === undefined || units === link.unitsPerPurchaseUnit) continue;
    // A supplier that sells by the old unit continues to.
    const isOwnUnit = link.purchaseUnitId === null && link.unitsPerPurchaseUnit === MICRO;
    const purchaseUnitId = isOwnUnit ? before.unitId : link.purchaseUnitId;
    await saveLink(tx, context, item, link, { ...link, purchaseUnitId, unitsPerPurchaseUnit: units });
  }
}

const dependsOnUnit = (link: SupplierLinkRecord): boolean =>
  link.purchaseUnitId !== null ||
  link.unitsPerPurchaseUnit !== MICRO ||
  [link.purchasePrice, link.minOrderQuantity, link.orderMultiple].some((number) => number !== null);

/** The number of new units in one purchase unit; undefined if it is not exact. */
function convertUnitsPerPurchaseUnit({ unitsPerPurchaseUnit }: SupplierLinkRecord, { numerator, denominator }: Ratio): number | undefined {
  const scaled = BigInt(unitsPerPurchaseUnit) * numerator;
  const units = scaled / denominator;
  return scaled % denominator === 0n && units < BigInt(NUMBER_BOUND * MICRO) ? Number(units) : undefined;
}
