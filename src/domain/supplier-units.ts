/**
 * A supplier link tells how much of its item one purchase unit is, in the item's stock unit. ours: so it follows the item to another unit of
 * the same dimension: a bag of 60 kg holds 60,000 g. D-11.
 */
import type { Context } from './context.ts';
import { resourceInUse } from './errors.ts';
import type { ItemRecord } from './items.ts';
import { MICRO } from './numbers.ts';
import { type SupplierLinkRecord, changeLink, linksOf } from './suppliers.ts';
import type { Tx } from './tables.ts';
import { type Ratio, ratioOf, unitOf } from './units.ts';
import { NUMBER_BOUND } from '../contract/limits.ts';

/** Changes the links of an item that has got another unit; 409 when one of them cannot be told in it. `item` is stored already. */
export async function followUnit(tx: Tx, context: Context, before: ItemRecord, item: ItemRecord): Promise<void> {
  // What is counted without a unit is as many of whatever unit it gets.
  if (before.unitId === null || before.unitId === item.unitId) return;
  const links = (await linksOf(tx, item.id)).filter(tellsQuantities);
  if (links.length === 0) return;
  const ratio = ratioOf(await unitOf(tx, before.unitId), await unitOf(tx, item.unitId));
  const followed = links.map((link) => ({ link, units: ratio && inUnits(link, ratio) }));
  const lost = followed.filter(({ units }) => units === undefined).length;
  if (lost > 0) throw resourceInUse('item', { supplierLinks: lost }, 'They are told in its present unit.');
  for (const { link, units } of followed) {
    if (units === undefined || units === link.unitsPerPurchaseUnit) continue;
    // Who sells by the kilogram goes on selling by the kilogram.
    const isOwnUnit = link.purchaseUnitId === null && link.unitsPerPurchaseUnit === MICRO;
    const purchaseUnitId = isOwnUnit ? before.unitId : link.purchaseUnitId;
    await changeLink(tx, context, item, link, { ...link, purchaseUnitId, unitsPerPurchaseUnit: units });
  }
}

const tellsQuantities = (link: SupplierLinkRecord): boolean =>
  link.purchaseUnitId !== null ||
  link.unitsPerPurchaseUnit !== MICRO ||
  [link.purchasePrice, link.minOrderQuantity, link.orderMultiple].some((number) => number !== null);

/** How many of the new unit are in one purchase unit; undefined when that cannot be told exactly. */
function inUnits({ unitsPerPurchaseUnit }: SupplierLinkRecord, { numerator, denominator }: Ratio): number | undefined {
  const scaled = BigInt(unitsPerPurchaseUnit) * numerator;
  const units = scaled / denominator;
  return scaled % denominator === 0n && units < BigInt(NUMBER_BOUND * MICRO) ? Number(units) : undefined;
}
