/** Creates, updates and deletes the ingredients of an item. D-10. */
import type { IngredientDraft, IngredientPatch } from '../../contract/resources/ingredients.ts';
import type { ItemType } from '../../contract/resources/items.ts';
import { INGREDIENTS_MAX_ROWS } from '../../contract/limits.ts';
import { checkCycleAndDepth, listIngredients } from './ingredient-needs.ts';
import { diffFields } from '../events/changes.ts';
import { type Context, getNextTimestamp } from '../kernel/context.ts';
import { StockroomError, duplicateValue, inactiveReference, invalidField, notFound } from '../kernel/errors.ts';
import { recordItemChange } from './item-events.ts';
import { getItem, touchItem } from './item-rows.ts';
import type { ItemRecord, IngredientRecord, UnitRecord } from './records.ts';
import { MICRO, fromMicro, toMicro, toPositiveMicro } from '../kernel/numbers.ts';
import type { ReadTx, Tx } from '../tables.ts';
import { blankToNull } from '../kernel/text.ts';
import { checkUnit, getUnitRatio, getUnitStep, findUnit } from './unit-ratios.ts';

type IngredientFields = Omit<IngredientRecord, 'id' | 'itemId' | 'position' | 'createdAt' | 'updatedAt'>;
const FIELDS = [
  'ingredientItemId',
  'quantity',
  'perQuantity',
  'unitId',
  'wastePercent',
  'position',
  'notes',
] as const satisfies readonly (keyof IngredientRecord)[];
const EMPTY: IngredientFields = { ingredientItemId: '', quantity: MICRO, perQuantity: MICRO, unitId: null, wastePercent: 0, notes: null };

/** Whether items of this type have ingredients. */
export const hasIngredients = (type: ItemType): boolean => type !== 'material';
/** Whether items of this type can be ingredients. Combos cannot, so that a combo expands in one step. */
export const canBeIngredient = (type: ItemType): boolean => type !== 'combo';
/** Whether ingredients of items of this type may have waste. A combo is picked, not produced. */
export const allowsWaste = (type: ItemType): boolean => type !== 'combo';

export async function createIngredient(tx: Tx, context: Context, itemId: string, draft: IngredientDraft): Promise<IngredientRecord> {
  const [stored] = await createIngredients(tx, context, itemId, [draft]);
  return stored!;
}

/** Adds ingredients to an item in the given order, as one change of the item. */
export async function createIngredients(
  tx: Tx,
  context: Context,
  itemId: string,
  drafts: readonly IngredientDraft[],
): Promise<IngredientRecord[]> {
  const parent = await getItem(tx, itemId);
  const stored: IngredientRecord[] = [];
  for (const draft of drafts) stored.push(await addIngredient(tx, context, parent, draft));
  const item = await touchItem(tx, context, parent);
  for (const { id, ingredientItemId } of stored) {
    const metadata = { ingredientId: id, ingredientItemId };
    await recordItemChange(tx, context, 'item.ingredient.added', item, ['ingredients'], { metadata });
  }
  return stored;
}

/** Of a new recipe. The quantity is a whole number. */
export interface NewIngredient {
  readonly itemId: string;
  readonly unitId: string | null;
  readonly quantity: number;
}

/**
 * Stores the ingredients of an item that has none. The caller guarantees what `createIngredients` looks up: that all of them obey its rules.
 * Records nothing.
 */
export async function storeRecipe(tx: Tx, context: Context, parent: ItemRecord, ingredients: readonly NewIngredient[]): Promise<void> {
  const at = context.now.toISOString();
  const rows = ingredients.map(({ itemId, unitId, quantity }, index): IngredientRecord => {
    const fields = { ...EMPTY, ingredientItemId: itemId, quantity: toPositiveMicro(quantity, '/quantity'), unitId };
    return { id: context.newId(), itemId: parent.id, ...fields, position: index + 1, createdAt: at, updatedAt: at };
  });
  await tx.ingredients.putMany(rows);
  await tx.items.put({ ...parent, updatedAt: getNextTimestamp(context.now, parent.updatedAt) });
}

async function addIngredient(tx: Tx, context: Context, parent: ItemRecord, draft: IngredientDraft): Promise<IngredientRecord> {
  const fields = await toCheckedFields(tx, parent, EMPTY, await mergeFields(tx, EMPTY, draft));
  const rows = await listIngredients(tx, parent.id);
  if (rows.length >= INGREDIENTS_MAX_ROWS) {
    throw new StockroomError('LIMIT_REACHED', `An item has at most ${String(INGREDIENTS_MAX_ROWS)} ingredients. Remove one first.`, {
      details: { limit: INGREDIENTS_MAX_ROWS },
    });
  }
  const at = context.now.toISOString();
  const last = rows.length + 1;
  const row: IngredientRecord = { id: context.newId(), itemId: parent.id, ...fields, position: last, createdAt: at, updatedAt: at };
  return insertAtPosition(tx, context, [...rows, row], row, draft.position ?? last);
}

export async function updateIngredient(
  tx: Tx,
  context: Context,
  itemId: string,
  id: string,
  patch: IngredientPatch,
): Promise<IngredientRecord> {
  const before = await getIngredient(tx, itemId, id);
  const rows = await listIngredients(tx, itemId);
  const merged = {
    ...before,
    ...(await mergeFields(tx, before, patch)),
    position: Math.min(patch.position ?? before.position, rows.length),
  };
  const changes = diffFields(toWireIngredient(before), toWireIngredient(merged), FIELDS);
  if (Object.keys(changes).length === 0) return before;
  const parent = await getItem(tx, itemId);
  const row = {
    ...merged,
    ...(await toCheckedFields(tx, parent, before, merged)),
    updatedAt: getNextTimestamp(context.now, before.updatedAt),
  };
  const stored = await insertAtPosition(tx, context, rows, row, merged.position);
  await recordItemChange(tx, context, 'item.ingredient.updated', await touchItem(tx, context, parent), ['ingredients'], {
    changes,
    metadata: { ingredientId: id },
  });
  return stored;
}

export async function deleteIngredient(tx: Tx, context: Context, itemId: string, id: string): Promise<void> {
  const { ingredientItemId } = await getIngredient(tx, itemId, id);
  const rows = await listIngredients(tx, itemId);
  await tx.ingredients.remove(id);
  const rest = rows.filter((each) => each.id !== id);
  await renumberPositions(tx, context, rest);
  await recordItemChange(tx, context, 'item.ingredient.removed', await touchItem(tx, context, await getItem(tx, itemId)), ['ingredients'], {
    metadata: { ingredientId: id, ingredientItemId },
  });
}

/** Removes the ingredients of an item that is being deleted, and returns their number. */
export async function removeIngredients(tx: Tx, itemId: string): Promise<number> {
  const rows = await listIngredients(tx, itemId);
  for (const { id } of rows) await tx.ingredients.remove(id);
  return rows.length;
}

export async function getIngredient(tx: ReadTx, itemId: string, id: string): Promise<IngredientRecord> {
  const row = await tx.ingredients.get(id);
  if (row?.itemId !== itemId) throw notFound('ingredient', `${id} of this item`);
  return row;
}

/** The fields after a change: an omitted field is unchanged, null clears. A null unit stands for the ingredient's unit. */
async function mergeFields(tx: ReadTx, before: IngredientFields, patch: IngredientPatch): Promise<IngredientFields> {
  const { ingredientItemId = before.ingredientItemId, quantity, perQuantity, wastePercent, notes } = patch;
  // The unit is stored when the row is written, so that another unit of the ingredient does not change the meaning of rows.
  const isSame = before.unitId === null && ingredientItemId === before.ingredientItemId;
  const takesOwnUnit = before === EMPTY ? (patch.unitId ?? null) === null : patch.unitId === null && !isSame;
  return {
    ingredientItemId,
    quantity: quantity === undefined ? before.quantity : toPositiveMicro(quantity, '/quantity'),
    perQuantity: perQuantity === undefined ? before.perQuantity : toPositiveMicro(perQuantity, '/perQuantity'),
    unitId: takesOwnUnit ? ((await tx.items.get(ingredientItemId))?.unitId ?? null) : (patch.unitId ?? before.unitId),
    wastePercent: wastePercent === undefined ? before.wastePercent : toMicro(wastePercent, '/wastePercent'),
    notes: notes === undefined ? before.notes : blankToNull(notes),
  };
}

/** The fields, if the parent may have such an ingredient. Checks invalid values (400) before rules (409). */
async function toCheckedFields(
  tx: ReadTx,
  parent: ItemRecord,
  before: IngredientFields,
  after: IngredientFields,
): Promise<IngredientFields> {
  const child = await tx.items.get(after.ingredientItemId);
  if (!child) throw invalidField('/ingredientItemId', `There is no item ${after.ingredientItemId}; give the id of a product or material.`);
  const unit =
    after.unitId === before.unitId || after.unitId === child.unitId
      ? await findUnit(tx, after.unitId)
      : await checkUnit(tx, after.unitId, '/unitId');
  const ownUnit = await findUnit(tx, child.unitId);
  if (!getUnitRatio(unit ?? ownUnit, ownUnit)) {
    const valid = ownUnit
      ? `${ownUnit.symbol}, the unit of the ingredient, or another unit of ${ownUnit.dimension}`
      : 'null, because the ingredient has no unit';
    throw invalidField('/unitId', `unitId must be ${valid}.`);
  }
  if (after.quantity !== before.quantity || after.unitId !== before.unitId) {
    checkSmallestQuantity(after.quantity, unit ?? ownUnit);
  }
  if (after.wastePercent > 0 && !allowsWaste(parent.itemType)) {
    throw invalidField('/wastePercent', 'wastePercent must be 0 for ingredients of a combo.', 'not_allowed');
  }
  if (!hasIngredients(parent.itemType)) {
    throw new StockroomError('INVALID_ITEM_TYPE', 'A material cannot have ingredients. Change the item to a product first.', {
      details: { itemId: parent.id },
    });
  }
  if (!canBeIngredient(child.itemType)) {
    throw new StockroomError('INVALID_ITEM_TYPE', 'A combo cannot be an ingredient. Add its parts instead.', {
      details: { itemId: child.id },
    });
  }
  if (after.ingredientItemId === before.ingredientItemId) return after;
  if (!child.isActive) throw inactiveReference(`Item ${child.name}`, { itemId: child.id }, '/ingredientItemId');
  const duplicate = await tx.ingredients.findUnique('pair', parent.id, child.id);
  if (duplicate) throw duplicateValue('ingredientItemId', child.id, duplicate.id);
  await checkCycleAndDepth(tx, parent.id, child.id);
  return after;
}

/** Rejects a fraction of an indivisible unit, which every order would round up (D-9): half a piece is `quantity: 1, perQuantity: 2`. */
function checkSmallestQuantity(quantity: number, unit: UnitRecord | null): void {
  const smallest = Number(getUnitStep(unit));
  if (quantity >= smallest) return;
  const least = `${String(fromMicro(smallest))} in ${unit?.symbol ?? 'stock units'}`;
  throw invalidField(
    '/quantity',
    `quantity must be at least ${least}; use perQuantity for a fraction: half of one is quantity 1, perQuantity 2`,
    'too_small',
  );
}

/** Stores `row` at a position and renumbers the other rows. */
async function insertAtPosition(
  tx: Tx,
  context: Context,
  rows: readonly IngredientRecord[],
  row: IngredientRecord,
  position: number,
): Promise<IngredientRecord> {
  const others = rows.filter((each) => each.id !== row.id);
  const at = Math.min(position, others.length + 1) - 1;
  const stored = { ...row, position: at + 1 };
  await tx.ingredients.put(stored);
  await renumberPositions(tx, context, [...others.slice(0, at), stored, ...others.slice(at)]);
  return stored;
}

/** Sets the positions of the rows to 1..n. A row that moves gets a new updatedAt. */
async function renumberPositions(tx: Tx, context: Context, rows: readonly IngredientRecord[]): Promise<void> {
  for (const [index, row] of rows.entries()) {
    const position = index + 1;
    if (row.position !== position) await tx.ingredients.put({ ...row, position, updatedAt: getNextTimestamp(context.now, row.updatedAt) });
  }
}

/** The row with decimals instead of micro-units. */
export function toWireIngredient(row: IngredientRecord): IngredientRecord {
  return { ...row, quantity: fromMicro(row.quantity), perQuantity: fromMicro(row.perQuantity), wastePercent: fromMicro(row.wastePercent) };
}
