/** Ingredients: what an item is made of. D-10. */
import type { IngredientDraft, IngredientPatch } from '../contract/ingredients.ts';
import type { ItemType } from '../contract/items.ts';
import { INGREDIENTS_MAX_ROWS } from '../contract/limits.ts';
import { checkNesting, rowsOf } from './bom.ts';
import { differences } from './changes.ts';
import { type Context, nextTimestamp } from './context.ts';
import { StockroomError, duplicateValue, invalidField, notFound } from './errors.ts';
import { getItem, noteItem, touchItem } from './item-notes.ts';
import type { ItemRecord } from './items.ts';
import { MICRO, fromMicro, toMicro, toPositiveMicro } from './numbers.ts';
import type { ReadTx, Tx } from './tables.ts';
import { blankToNull } from './text.ts';
import { checkUnit, ratioOf, unitOf } from './units.ts';

export interface IngredientRecord {
  readonly id: string;
  /** The parent. */
  readonly itemId: string;
  readonly ingredientItemId: string;
  /** Micro-units, both. Need for n parents = quantity × n ÷ perQuantity. */
  readonly quantity: number;
  readonly perQuantity: number;
  /** What `quantity` is measured in; null when the ingredient had no unit: then its own, should it get one. */
  readonly unitId: string | null;
  /** Micro-units of percent. */
  readonly wastePercent: number;
  /** From 1, in the order of the list, without gaps. */
  readonly position: number;
  readonly notes: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

type Fields = Omit<IngredientRecord, 'id' | 'itemId' | 'position' | 'createdAt' | 'updatedAt'>;
const FIELDS = [
  'ingredientItemId',
  'quantity',
  'perQuantity',
  'unitId',
  'wastePercent',
  'position',
  'notes',
] as const satisfies readonly (keyof IngredientRecord)[];
const EMPTY: Fields = { ingredientItemId: '', quantity: MICRO, perQuantity: MICRO, unitId: null, wastePercent: 0, notes: null };

/** Whether items of this type are made of ingredients. */
export const hasIngredients = (type: ItemType): boolean => type !== 'material';
/** Whether items of this type go into others: a combo never does, so that it explodes in one level. */
export const canBeIngredient = (type: ItemType): boolean => type !== 'combo';
/** Whether rows of this parent may have waste: a combo is picked, not made. */
export const allowsWaste = (type: ItemType): boolean => type !== 'combo';

export async function createIngredient(tx: Tx, context: Context, itemId: string, draft: IngredientDraft): Promise<IngredientRecord> {
  const [stored] = await createIngredients(tx, context, itemId, [draft]);
  return stored!;
}

/** Adds rows to the recipe of an item, one after another, as one change of the item. */
export async function createIngredients(
  tx: Tx,
  context: Context,
  itemId: string,
  drafts: readonly IngredientDraft[],
): Promise<IngredientRecord[]> {
  const parent = await getItem(tx, itemId);
  const stored: IngredientRecord[] = [];
  for (const draft of drafts) stored.push(await addRow(tx, context, parent, draft));
  const item = await touchItem(tx, context, parent);
  for (const { id, ingredientItemId } of stored) {
    const metadata = { ingredientId: id, ingredientItemId };
    await noteItem(tx, context, 'item.ingredient.added', item, ['ingredients'], { metadata });
  }
  return stored;
}

async function addRow(tx: Tx, context: Context, parent: ItemRecord, draft: IngredientDraft): Promise<IngredientRecord> {
  const fields = await checked(tx, parent, EMPTY, await merge(tx, EMPTY, draft));
  const rows = await rowsOf(tx, parent.id);
  if (rows.length >= INGREDIENTS_MAX_ROWS) {
    throw new StockroomError('LIMIT_REACHED', `An item has at most ${String(INGREDIENTS_MAX_ROWS)} ingredients; remove one first.`, {
      details: { limit: INGREDIENTS_MAX_ROWS },
    });
  }
  const at = context.now.toISOString();
  const last = rows.length + 1;
  const row: IngredientRecord = { id: context.newId(), itemId: parent.id, ...fields, position: last, createdAt: at, updatedAt: at };
  return place(tx, context, [...rows, row], row, draft.position ?? last);
}

export async function updateIngredient(
  tx: Tx,
  context: Context,
  itemId: string,
  id: string,
  patch: IngredientPatch,
): Promise<IngredientRecord> {
  const before = await getIngredient(tx, itemId, id);
  const rows = await rowsOf(tx, itemId);
  const merged = { ...before, ...(await merge(tx, before, patch)), position: Math.min(patch.position ?? before.position, rows.length) };
  const changes = differences(wireNumbers(before), wireNumbers(merged), FIELDS);
  if (Object.keys(changes).length === 0) return before;
  const parent = await getItem(tx, itemId);
  const row = { ...merged, ...(await checked(tx, parent, before, merged)), updatedAt: nextTimestamp(context.now, before.updatedAt) };
  const stored = await place(tx, context, rows, row, merged.position);
  await noteItem(tx, context, 'item.ingredient.updated', await touchItem(tx, context, parent), ['ingredients'], {
    changes,
    metadata: { ingredientId: id },
  });
  return stored;
}

export async function deleteIngredient(tx: Tx, context: Context, itemId: string, id: string): Promise<void> {
  const { ingredientItemId } = await getIngredient(tx, itemId, id);
  const rows = await rowsOf(tx, itemId);
  await tx.ingredients.remove(id);
  const rest = rows.filter((each) => each.id !== id);
  await renumber(tx, context, rest);
  await noteItem(tx, context, 'item.ingredient.removed', await touchItem(tx, context, await getItem(tx, itemId)), ['ingredients'], {
    metadata: { ingredientId: id, ingredientItemId },
  });
}

/** Removes the rows of an item that is being deleted; returns how many there were. */
export async function removeIngredients(tx: Tx, itemId: string): Promise<number> {
  const rows = await rowsOf(tx, itemId);
  for (const { id } of rows) await tx.ingredients.remove(id);
  return rows.length;
}

export async function getIngredient(tx: ReadTx, itemId: string, id: string): Promise<IngredientRecord> {
  const row = await tx.ingredients.get(id);
  if (row?.itemId !== itemId) throw notFound('ingredient of this item', id);
  return row;
}

/** The fields after a change: an absent one stays, null clears; for the unit null means the ingredient's own. */
async function merge(tx: ReadTx, before: Fields, patch: IngredientPatch): Promise<Fields> {
  const { ingredientItemId = before.ingredientItemId, quantity, perQuantity, wastePercent, notes } = patch;
  // ours: the unit is settled when the row is written, so that giving the ingredient another unit later does not change what rows mean.
  const isSame = before.unitId === null && ingredientItemId === before.ingredientItemId;
  const own = before === EMPTY ? (patch.unitId ?? null) === null : patch.unitId === null && !isSame;
  return {
    ingredientItemId,
    quantity: quantity === undefined ? before.quantity : toPositiveMicro(quantity, '/quantity'),
    perQuantity: perQuantity === undefined ? before.perQuantity : toPositiveMicro(perQuantity, '/perQuantity'),
    unitId: own ? ((await tx.items.get(ingredientItemId))?.unitId ?? null) : (patch.unitId ?? before.unitId),
    wastePercent: wastePercent === undefined ? before.wastePercent : toMicro(wastePercent, '/wastePercent'),
    notes: notes === undefined ? before.notes : blankToNull(notes),
  };
}

/** The fields, when the row they make may stand in the recipe of the parent. Wrong values first (400), then broken rules (409). */
async function checked(tx: ReadTx, parent: ItemRecord, before: Fields, after: Fields): Promise<Fields> {
  const child = await tx.items.get(after.ingredientItemId);
  if (!child) throw invalidField('/ingredientItemId', `There is no item ${after.ingredientItemId}; give the id of a product or material.`);
  const unit =
    after.unitId === before.unitId || after.unitId === child.unitId
      ? await unitOf(tx, after.unitId)
      : await checkUnit(tx, after.unitId, '/unitId');
  const own = await unitOf(tx, child.unitId);
  if (!ratioOf(unit ?? own, own)) {
    const right = own ? `${own.symbol} or another unit of ${own.dimension}` : 'no unit';
    throw invalidField('/unitId', `unitId must fit the ingredient, which is measured in ${right}.`);
  }
  if (after.wastePercent > 0 && !allowsWaste(parent.itemType)) {
    throw invalidField('/wastePercent', 'wastePercent must be 0: a combo is picked, not made.', 'not_allowed');
  }
  if (!hasIngredients(parent.itemType)) {
    throw new StockroomError('INVALID_ITEM_TYPE', 'A material has no ingredients; make the item a product first.', {
      details: { itemId: parent.id },
    });
  }
  if (!canBeIngredient(child.itemType)) {
    throw new StockroomError('INVALID_ITEM_TYPE', 'A combo cannot be an ingredient; add what it consists of.', {
      details: { itemId: child.id },
    });
  }
  if (after.ingredientItemId === before.ingredientItemId) return after;
  if (!child.isActive) throw new StockroomError('INACTIVE_REFERENCE', `Item ${child.name} is inactive; activate it or choose another one.`);
  const twin = await tx.ingredients.find('pair', parent.id, child.id);
  if (twin) throw duplicateValue('ingredientItemId', child.id, twin.id);
  await checkNesting(tx, parent.id, child.id);
  return after;
}

/** Stores `row` at a position among its siblings, which make room. */
async function place(
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
  await renumber(tx, context, [...others.slice(0, at), stored, ...others.slice(at)]);
  return stored;
}

/** Gives rows in their order the positions 1..n. A moved row is a changed row, so its updatedAt moves. */
async function renumber(tx: Tx, context: Context, rows: readonly IngredientRecord[]): Promise<void> {
  for (const [index, row] of rows.entries()) {
    const position = index + 1;
    if (row.position !== position) await tx.ingredients.put({ ...row, position, updatedAt: nextTimestamp(context.now, row.updatedAt) });
  }
}

/** The row with its numbers as they look on the wire. */
export function wireNumbers(row: IngredientRecord): IngredientRecord {
  return { ...row, quantity: fromMicro(row.quantity), perQuantity: fromMicro(row.perQuantity), wastePercent: fromMicro(row.wastePercent) };
}
