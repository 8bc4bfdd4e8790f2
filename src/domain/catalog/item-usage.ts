/** Checks whether an item may be deleted or change its type or unit. D-10, D-20. */
import type { ItemType } from '../../contract/resources/items.ts';
import { listIngredients } from './ingredient-needs.ts';
import { allowsWaste, canBeIngredient, hasIngredients } from './ingredients.ts';
import type { ItemRecord } from './records.ts';
import type { Condition } from '../kernel/ports.ts';
import { type Reference, checkUnreferenced, countReferences, getOrderNumbers, nameOwners } from '../kernel/references.ts';
import { getReferencedRows } from '../kernel/rows.ts';
import type { ReadTx } from '../tables.ts';
import { listLevels } from './item-levels.ts';
import { isOutstanding } from '../../contract/resources/orders.ts';
import { type Unit, getUnitRatio, getUnitStep, findUnit } from './unit-ratios.ts';

const whereEquals = (field: string, value: string | null): Condition => ({ field, equals: value });
/** The hint of references that prevent a change of the unit. */
export const USE_CURRENT_UNIT = 'Quantities there are in its current unit.';

const whereIngredient = (id: string): Condition => whereEquals('ingredientItemId', id);

type References = Readonly<Record<string, Reference>>;

/** Throws 409 if order lines, ingredients or stock records refer to the item. */
export async function checkUnused(tx: ReadTx, id: string): Promise<void> {
  const references = {
    orderLines: await findOrderLines(tx, id),
    ingredients: await findIngredientUses(tx, [whereIngredient(id)]),
    ...(await findStockReferences(tx, id)),
  };
  await checkUnreferenced('item', references, 'Deactivate it instead: set isActive to false.');
}

/** The records with stock quantities of the item. A level has some without a document if an order commits the item as part of a combo. */
async function findStockReferences(tx: ReadTx, id: string): Promise<References> {
  const ofItem = [whereEquals('itemId', id)];
  const { getDocuments } = nameOwners(tx);
  const levels = await listLevels(tx, id);
  const used = levels.filter(({ onHand, committed, incoming }) => onHand !== 0 || committed !== 0 || incoming !== 0);
  return {
    stockDocumentLines: await countReferences(tx.stockDocumentLines, ofItem, getDocuments),
    ledgerEntries: await countReferences(tx.ledger, ofItem, getDocuments),
    stockLevels: toSiteReferences(tx, used),
    // An item that was never committed has no level.
    ...(levels.length > 0 && { orderLinesOfCombos: await findComboLinesClosedShort(tx, id) }),
  };
}

/** The same with its reorder points, which are in its unit, and which a combo cannot have. */
async function findStockUses(tx: ReadTx, id: string): Promise<References> {
  const withReorderPoint = (await listLevels(tx, id)).filter(({ reorderPoint }) => reorderPoint !== null);
  return { ...(await findStockReferences(tx, id)), reorderPoints: toSiteReferences(tx, withReorderPoint) };
}

/** Levels of one item, by their sites. */
const toSiteReferences = (tx: ReadTx, levels: readonly { readonly siteId: string }[]): Reference => ({
  count: levels.length,
  findNames: async () => [...(await getReferencedRows(tx.sites, levels, ({ siteId }) => siteId)).values()].map(({ code }) => code),
});

/** Finds lines of sold combos that were closed without all of the item: they need it again if a document of their order is reversed. */
async function findComboLinesClosedShort(tx: ReadTx, id: string): Promise<Reference> {
  const where: Condition[] = [
    whereEquals('module', 'sell'),
    whereEquals('status', 'completed'),
    { field: 'closedShort', equals: true },
    whereEquals('fulfilment', 'partial'),
  ];
  const { rows } = await tx.orders.listAfter({ where, limit: Number.MAX_SAFE_INTEGER });
  const orderNumbers: string[] = [];
  for (const { id: orderId, orderNumber } of rows) {
    const lines = await tx.orderLines.listAfter({ where: [whereEquals('orderId', orderId)], limit: Number.MAX_SAFE_INTEGER });
    orderNumbers.push(...lines.rows.filter(({ kit }) => kit?.some((part) => part.itemId === id)).map(() => orderNumber));
  }
  return { count: orderNumbers.length, findNames: () => orderNumbers };
}

/** Order lines also prevent a combo from becoming another type, because a combo on a line stands for its parts. */
export async function checkTypeChange(tx: ReadTx, item: ItemRecord, to: ItemType): Promise<void> {
  if (to === item.itemType) return;
  const { id } = item;
  const ingredients = await listIngredients(tx, id);
  const wasted = ingredients.filter((row) => row.wastePercent > 0);
  const { getOrders } = nameOwners(tx);
  const ofOutputs = [whereEquals('itemId', id), whereEquals('kind', 'output')];
  const references: References = {
    ...(to === 'combo' && (await findStockUses(tx, id))),
    ...((to === 'combo' || item.itemType === 'combo') && { orderLines: await findOrderLines(tx, id) }),
    ...(!hasIngredients(to) && { outputLines: await countReferences(tx.orderLines, ofOutputs, getOrders) }),
    ...(!canBeIngredient(to) && { ingredients: await findIngredientUses(tx, [whereIngredient(id)]) }),
    ...(!hasIngredients(to) && { ownIngredients: { count: ingredients.length } }),
    ...(!allowsWaste(to) && { ownIngredientsWithWaste: { count: wasted.length } }),
  };
  await checkUnreferenced('item', references, `This prevents a change of itemType to ${to}.`);
}

/**
 * Records with quantities in the stock unit prevent a change of the unit: the ledger (D-10), order lines and reorder points. An item
 * without a unit may get one while it has no stock. Ingredients allow another unit of the same dimension, because their rows have their own
 * units; rows without a unit prevent any change.
 */
export async function checkUnitChange(tx: ReadTx, item: ItemRecord, to: string | null): Promise<void> {
  if (to === item.unitId) return;
  const { id } = item;
  await checkUnreferenced('item', await findStockUses(tx, id), USE_CURRENT_UNIT);
  if (item.unitId === null) {
    const unit = await findUnit(tx, to);
    const hint = `Quantities there have more decimals than ${unit?.symbol ?? ''} allows.`;
    await checkUnreferenced('item', { orderLines: await findLinesFinerThan(tx, id, unit) }, hint);
    return;
  }
  const isConvertible = getUnitRatio(await findUnit(tx, item.unitId), await findUnit(tx, to)) !== undefined;
  const references = {
    orderLines: await findOrderLines(tx, id),
    ingredients: await findIngredientUses(tx, [whereIngredient(id), ...(isConvertible ? [whereEquals('unitId', null)] : [])]),
  };
  await checkUnreferenced('item', references, USE_CURRENT_UNIT);
}

/** Finds lines of unfinished orders with more decimals than the unit has: they would post fractions of a piece. */
async function findLinesFinerThan(tx: ReadTx, id: string, unit: Unit): Promise<Reference> {
  const step = Number(getUnitStep(unit));
  if (step === 1) return { count: 0 };
  const { rows } = await tx.orderLines.listAfter({ where: [whereEquals('itemId', id)], limit: Number.MAX_SAFE_INTEGER });
  const finer = rows.filter(({ stockQuantity }) => stockQuantity % step !== 0);
  const orders = await tx.orders.getMany(finer.map(({ orderId }) => orderId));
  const unfinished = orders.filter((order) => order !== undefined).filter(({ status }) => status === 'draft' || isOutstanding(status));
  return { count: unfinished.length, findNames: () => getOrderNumbers(unfinished) };
}

const findOrderLines = (tx: ReadTx, id: string): Promise<Reference> =>
  countReferences(tx.orderLines, [whereEquals('itemId', id)], nameOwners(tx).getOrders);

const findIngredientUses = (tx: ReadTx, where: readonly Condition[]): Promise<Reference> =>
  countReferences(tx.ingredients, where, nameOwners(tx).getItems);
