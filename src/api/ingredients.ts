/** Handlers of item ingredients, and their JSON in responses. */
import type { Ingredient, ingredientOperations, unitRef } from '../contract/resources/ingredients.ts';
import type { Infer } from '../contract/schema/builder.ts';
import { type IngredientLine, loadRecipeLines } from '../domain/catalog/ingredient-needs.ts';
import { createIngredient, deleteIngredient, getIngredient, updateIngredient, toWireIngredient } from '../domain/catalog/ingredients.ts';
import type { IngredientRecord, UnitRecord } from '../domain/catalog/records.ts';
import { checkVersion } from './versions.ts';
import { getItem } from '../domain/catalog/item-rows.ts';
import type { ReadTx } from '../domain/tables.ts';
import { findUnit } from '../domain/catalog/unit-ratios.ts';
import { type ApiResponse, type Handlers, respondWithRecord } from './handler.ts';
import { presentItemRef } from './items.ts';
import { type InMemoryList, paginateRows } from './lists/in-memory-page.ts';

export const ingredientHandlers: Handlers<typeof ingredientOperations> = {
  async 'items.ingredients.list'({ tx, params, query }) {
    await getItem(tx, params.item_id);
    return paginateRows(query, (await loadRecipeLines(tx, params.item_id)).map(presentIngredient), LIST_SPEC);
  },
  async 'items.ingredients.create'({ tx, context, params, body }) {
    const row = await createIngredient(tx, context, params.item_id, body);
    return toResponse(tx, row, `/v1/items/${row.itemId}/ingredients/${row.id}`);
  },
  async 'items.ingredients.update'({ tx, context, params: { item_id: itemId, ingredient_id: id }, body, ifMatch }) {
    checkVersion(ifMatch, (await getIngredient(tx, itemId, id)).updatedAt);
    return toResponse(tx, await updateIngredient(tx, context, itemId, id, body));
  },
  async 'items.ingredients.delete'({ tx, context, params: { item_id: itemId, ingredient_id: id }, ifMatch }) {
    checkVersion(ifMatch, (await getIngredient(tx, itemId, id)).updatedAt);
    await deleteIngredient(tx, context, itemId, id);
  },
};

const LIST_SPEC: InMemoryList<Ingredient> = {
  getId: ({ id }) => id,
  getSearchTexts: ({ ingredient }) => [ingredient.name],
  compare: { position: (a, b) => a.position - b.position },
};

async function toResponse(tx: ReadTx, row: IngredientRecord, location?: string): Promise<ApiResponse<{ data: Ingredient }>> {
  const item = await getItem(tx, row.ingredientItemId);
  const data = presentIngredient({ row, item, unit: await findUnit(tx, row.unitId) });
  return respondWithRecord(row, { data }, location);
}

function presentIngredient({ row, item, unit }: Pick<IngredientLine, 'row' | 'item' | 'unit'>): Ingredient {
  const { id, itemId, ingredientItemId, quantity, perQuantity, unitId, wastePercent, position, notes, createdAt, updatedAt } =
    toWireIngredient(row);
  return {
    id,
    itemId,
    ingredientItemId,
    quantity,
    perQuantity,
    unitId,
    wastePercent,
    position,
    notes,
    createdAt,
    updatedAt,
    ingredient: presentItemRef(item),
    unit: presentUnitRef(unit),
  };
}

/** A unit as embedded in other resources; null without one. */
export const presentUnitRef = (unit: UnitRecord | null | undefined): Infer<typeof unitRef> | null =>
  unit ? { id: unit.id, name: unit.name, symbol: unit.symbol } : null;
