/** What stands in the way of deleting an item, or of making it another kind of thing. D-10, D-20. */
import type { ItemType } from '../contract/items.ts';
import { rowsOf } from './bom.ts';
import { resourceInUse } from './errors.ts';
import { allowsWaste, canBeIngredient, hasIngredients } from './ingredients.ts';
import type { ItemRecord } from './items.ts';
import type { Condition } from './ports.ts';
import type { ReadTx } from './tables.ts';
import { linesOf } from './order-lines.ts';
import { levelsOf } from './stock-levels.ts';
import { isOutstanding } from './order-transitions.ts';
import { type Unit, ratioOf, stepOf, unitOf } from './units.ts';

const equals = (field: string, value: string | null): Condition => ({ field, equals: value });
const asIngredient = (id: string): Condition => equals('ingredientItemId', id);

/** Order lines, recipes and stock that name the item, by kind. */
export async function usesOf(tx: ReadTx, id: string): Promise<Record<string, number>> {
  return {
    orderLines: await orderLinesOf(tx, id),
    ingredients: await tx.ingredients.count({ where: [asIngredient(id)] }),
    ...(await stockOf(tx, id)),
  };
}

type StockUse = 'stockDocumentLines' | 'ledgerEntries' | 'stockLevels' | 'orderLinesOfCombos';

/** Documents and the ledger tell quantities of the item; a level does so without them when an order promises it as part of a combo. */
async function stockOf(tx: ReadTx, id: string): Promise<Record<StockUse, number>> {
  const ofItem = { where: [equals('itemId', id)] };
  const levels = await levelsOf(tx, id);
  return {
    stockDocumentLines: await tx.stockDocumentLines.count(ofItem),
    ledgerEntries: await tx.ledger.count(ofItem),
    stockLevels: levels.filter(({ onHand, committed, incoming }) => onHand !== 0 || committed !== 0 || incoming !== 0).length,
    // What was never promised has no level.
    orderLinesOfCombos: levels.length === 0 ? 0 : await partsClosedShort(tx, id),
  };
}

/** Sold combos that were closed short of the item: they wait for it again when a document of their order is reversed. */
async function partsClosedShort(tx: ReadTx, id: string): Promise<number> {
  const where: Condition[] = [
    equals('module', 'sell'),
    equals('status', 'completed'),
    { field: 'closedShort', equals: true },
    equals('fulfilment', 'partial'),
  ];
  const { rows } = await tx.orders.after({ where, limit: Number.MAX_SAFE_INTEGER });
  let count = 0;
  for (const order of rows) count += (await linesOf(tx, order.id)).filter(({ kit }) => kit?.some((part) => part.itemId === id)).length;
  return count;
}

/** 409 when any of the counted references is there. */
export function refuseUse(references: Readonly<Record<string, number>>, hint: string): void {
  if (Object.values(references).some((count) => count > 0)) throw resourceInUse('item', references, hint);
}

/** ours: order lines forbid leaving the type combo as well as entering it, because a combo on a line stands for its parts. */
export async function checkTypeChange(tx: ReadTx, item: ItemRecord, to: ItemType): Promise<void> {
  if (to === item.itemType) return;
  const own = await rowsOf(tx, item.id);
  refuseUse(
    {
      ...(to === 'combo' ? await stockOf(tx, item.id) : {}),
      orderLines: to === 'combo' || item.itemType === 'combo' ? await orderLinesOf(tx, item.id) : 0,
      outputLines: hasIngredients(to) ? 0 : await tx.orderLines.count({ where: [equals('itemId', item.id), equals('kind', 'output')] }),
      ingredients: canBeIngredient(to) ? 0 : await tx.ingredients.count({ where: [asIngredient(item.id)] }),
      ownIngredients: hasIngredients(to) ? 0 : own.length,
      ownIngredientsWithWaste: allowsWaste(to) ? 0 : own.filter((row) => row.wastePercent > 0).length,
    },
    `They do not allow it to become a ${to}.`,
  );
}

/**
 * ours: order lines and reorder points tell quantities in the stock unit and so fix it, as the ledger does (D-10). An item without a unit
 * is only fixed by its stock. Recipes follow within the dimension, because their rows have units of their own; those that have none fix it as well.
 */
export async function checkUnitChange(tx: ReadTx, item: ItemRecord, to: string | null): Promise<void> {
  if (to === item.unitId) return;
  const reorderPoints = (await levelsOf(tx, item.id)).filter(({ reorderPoint }) => reorderPoint !== null).length;
  refuseUse({ ...(await stockOf(tx, item.id)), reorderPoints }, 'They are told in its present unit.');
  if (item.unitId === null) {
    const unit = await unitOf(tx, to);
    refuseUse({ orderLines: await finerLines(tx, item.id, unit) }, `They tell more decimals of it than ${unit?.symbol ?? ''} has.`);
    return;
  }
  const converts = ratioOf(await unitOf(tx, item.unitId), await unitOf(tx, to)) !== undefined;
  refuseUse(
    {
      orderLines: await orderLinesOf(tx, item.id),
      ingredients: await tx.ingredients.count({ where: [asIngredient(item.id), ...(converts ? [equals('unitId', null)] : [])] }),
    },
    'They are told in its present unit.',
  );
}

/** Lines of orders that are not done and tell the item more finely than the unit can: they would post parts of a piece. */
async function finerLines(tx: ReadTx, id: string, unit: Unit): Promise<number> {
  const step = Number(stepOf(unit));
  if (step === 1) return 0;
  const { rows } = await tx.orderLines.after({ where: [equals('itemId', id)], limit: Number.MAX_SAFE_INTEGER });
  const finer = rows.filter(({ stockQuantity }) => stockQuantity % step !== 0);
  const orders = await tx.orders.getMany(finer.map(({ orderId }) => orderId));
  return orders.filter((order) => order?.status === 'draft' || (order && isOutstanding(order.status))).length;
}

const orderLinesOf = (tx: ReadTx, id: string): Promise<number> => tx.orderLines.count({ where: [equals('itemId', id)] });
