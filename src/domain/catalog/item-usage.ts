/** Checks whether an item may be deleted or change its type or unit. D-10, D-20. */
import type { ItemType } from '../../contract/resources/items.ts';
import { listIngredients } from './ingredient-needs.ts';
import { resourceInUse } from '../kernel/errors.ts';
import { allowsWaste, canBeIngredient, hasIngredients } from './ingredients.ts';
import type { ItemRecord } from './records.ts';
import type { Condition } from '../kernel/ports.ts';
import type { ReadTx } from '../tables.ts';
import { listLevels } from './item-levels.ts';
import { isOutstanding } from '../../contract/resources/orders.ts';
import { type Unit, getUnitRatio, getUnitStep, findUnit } from './unit-ratios.ts';

const whereEquals = (field: string, value: string | null): Condition => ({ field, equals: value });
/** The hint of references that prevent a change of the unit. */
export const USE_CURRENT_UNIT = 'Their quantities are in its current unit.';

const whereIngredient = (id: string): Condition => whereEquals('ingredientItemId', id);

/** Counts order lines, ingredients and stock records that refer to the item, by kind. */
export async function countItemReferences(tx: ReadTx, id: string): Promise<Record<string, number>> {
  return {
    orderLines: await countOrderLines(tx, id),
    ingredients: await tx.ingredients.count({ where: [whereIngredient(id)] }),
    ...(await countStockReferences(tx, id)),
  };
}

type StockReference = 'stockDocumentLines' | 'ledgerEntries' | 'stockLevels' | 'orderLinesOfCombos';

/** Counts the records with stock quantities of the item. A level has some without a document if an order commits the item as part of a combo. */
async function countStockReferences(tx: ReadTx, id: string): Promise<Record<StockReference, number>> {
  const ofItem = { where: [whereEquals('itemId', id)] };
  const levels = await listLevels(tx, id);
  return {
    stockDocumentLines: await tx.stockDocumentLines.count(ofItem),
    ledgerEntries: await tx.ledger.count(ofItem),
    stockLevels: levels.filter(({ onHand, committed, incoming }) => onHand !== 0 || committed !== 0 || incoming !== 0).length,
    // An item that was never committed has no level.
    orderLinesOfCombos: levels.length === 0 ? 0 : await countComboLinesClosedShort(tx, id),
  };
}

/** The same with its reorder points, which are in its unit, and which a combo cannot have. */
async function countStockUses(tx: ReadTx, id: string): Promise<Record<StockReference | 'reorderPoints', number>> {
  const reorderPoints = (await listLevels(tx, id)).filter(({ reorderPoint }) => reorderPoint !== null).length;
  return { ...(await countStockReferences(tx, id)), reorderPoints };
}

/** Counts lines of sold combos that were closed without all of the item: they need it again if a document of their order is reversed. */
async function countComboLinesClosedShort(tx: ReadTx, id: string): Promise<number> {
  const where: Condition[] = [
    whereEquals('module', 'sell'),
    whereEquals('status', 'completed'),
    { field: 'closedShort', equals: true },
    whereEquals('fulfilment', 'partial'),
  ];
  const { rows } = await tx.orders.listAfter({ where, limit: Number.MAX_SAFE_INTEGER });
  let count = 0;
  for (const order of rows) {
    const lines = await tx.orderLines.listAfter({ where: [whereEquals('orderId', order.id)], limit: Number.MAX_SAFE_INTEGER });
    count += lines.rows.filter(({ kit }) => kit?.some((part) => part.itemId === id)).length;
  }
  return count;
}

/** Throws 409 if any reference exists. */
export function checkUnused(references: Readonly<Record<string, number>>, hint: string): void {
  if (Object.values(references).some((count) => count > 0)) throw resourceInUse('item', references, hint);
}

/** Order lines also prevent a combo from becoming another type, because a combo on a line stands for its parts. */
export async function checkTypeChange(tx: ReadTx, item: ItemRecord, to: ItemType): Promise<void> {
  if (to === item.itemType) return;
  const ingredients = await listIngredients(tx, item.id);
  checkUnused(
    {
      ...(to === 'combo' ? await countStockUses(tx, item.id) : {}),
      orderLines: to === 'combo' || item.itemType === 'combo' ? await countOrderLines(tx, item.id) : 0,
      outputLines: hasIngredients(to)
        ? 0
        : await tx.orderLines.count({ where: [whereEquals('itemId', item.id), whereEquals('kind', 'output')] }),
      ingredients: canBeIngredient(to) ? 0 : await tx.ingredients.count({ where: [whereIngredient(item.id)] }),
      ownIngredients: hasIngredients(to) ? 0 : ingredients.length,
      ownIngredientsWithWaste: allowsWaste(to) ? 0 : ingredients.filter((row) => row.wastePercent > 0).length,
    },
    `This prevents a change of itemType to ${to}.`,
  );
}

/**
 * Records with quantities in the stock unit prevent a change of the unit: the ledger (D-10), order lines and reorder points. An item
 * without a unit may get one while it has no stock. Ingredients allow another unit of the same dimension, because their rows have their own
 * units; rows without a unit prevent any change.
 */
export async function checkUnitChange(tx: ReadTx, item: ItemRecord, to: string | null): Promise<void> {
  if (to === item.unitId) return;
  checkUnused(await countStockUses(tx, item.id), USE_CURRENT_UNIT);
  if (item.unitId === null) {
    const unit = await findUnit(tx, to);
    checkUnused(
      { orderLines: await countLinesFinerThan(tx, item.id, unit) },
      `Their quantities have more decimals than ${unit?.symbol ?? ''} allows.`,
    );
    return;
  }
  const isConvertible = getUnitRatio(await findUnit(tx, item.unitId), await findUnit(tx, to)) !== undefined;
  checkUnused(
    {
      orderLines: await countOrderLines(tx, item.id),
      ingredients: await tx.ingredients.count({
        where: [whereIngredient(item.id), ...(isConvertible ? [whereEquals('unitId', null)] : [])],
      }),
    },
    USE_CURRENT_UNIT,
  );
}

/** Counts lines of unfinished orders with more decimals than the unit has: they would post fractions of a piece. */
async function countLinesFinerThan(tx: ReadTx, id: string, unit: Unit): Promise<number> {
  const step = Number(getUnitStep(unit));
  if (step === 1) return 0;
  const { rows } = await tx.orderLines.listAfter({ where: [whereEquals('itemId', id)], limit: Number.MAX_SAFE_INTEGER });
  const finer = rows.filter(({ stockQuantity }) => stockQuantity % step !== 0);
  const orders = await tx.orders.getMany(finer.map(({ orderId }) => orderId));
  return orders.filter((order) => order?.status === 'draft' || (order && isOutstanding(order.status))).length;
}

const countOrderLines = (tx: ReadTx, id: string): Promise<number> => tx.orderLines.count({ where: [whereEquals('itemId', id)] });
