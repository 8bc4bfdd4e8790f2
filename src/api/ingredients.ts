import type { Ingredient, ingredientOperations, unitRef } from '../contract/ingredients.ts';
import type { Infer } from '../contract/schema.ts';
import { type Part, partsOf } from '../domain/bom.ts';
import {
  type IngredientRecord,
  createIngredient,
  deleteIngredient,
  getIngredient,
  updateIngredient,
  wireNumbers,
} from '../domain/ingredients.ts';
import { checkVersion, getItem } from '../domain/items.ts';
import type { UnitRecord } from '../domain/settings.ts';
import type { ReadTx } from '../domain/tables.ts';
import { unitOf } from '../domain/units.ts';
import { Answer, type Handlers, etagOf } from './call.ts';
import { presentItemRef } from './items.ts';
import { type RowList, pageOfRows } from './rows.ts';

export const ingredientHandlers: Handlers<typeof ingredientOperations> = {
  async 'items.ingredients.list'({ tx, params, query }) {
    await getItem(tx, params.item_id);
    return pageOfRows(query, (await partsOf(tx, params.item_id)).map(present), LIST);
  },
  async 'items.ingredients.create'({ tx, context, params, body }) {
    const row = await createIngredient(tx, context, params.item_id, body);
    return answer(tx, row, `/v1/items/${row.itemId}/ingredients/${row.id}`);
  },
  async 'items.ingredients.update'({ tx, context, params: { item_id: itemId, ingredient_id: id }, body, ifMatch }) {
    checkVersion(ifMatch, (await getIngredient(tx, itemId, id)).updatedAt);
    return answer(tx, await updateIngredient(tx, context, itemId, id, body));
  },
  async 'items.ingredients.delete'({ tx, context, params: { item_id: itemId, ingredient_id: id }, ifMatch }) {
    checkVersion(ifMatch, (await getIngredient(tx, itemId, id)).updatedAt);
    await deleteIngredient(tx, context, itemId, id);
  },
};

const LIST: RowList<Ingredient> = {
  texts: ({ ingredient }) => [ingredient.name],
  compare: { position: (a, b) => a.position - b.position },
};

async function answer(tx: ReadTx, row: IngredientRecord, location?: string): Promise<Answer<{ data: Ingredient }>> {
  const item = await getItem(tx, row.ingredientItemId);
  const data = present({ row, item, unit: await unitOf(tx, row.unitId) });
  return new Answer<{ data: Ingredient }>({ data }, { etag: etagOf(row), ...(location === undefined ? {} : { location }) });
}

function present({ row, item, unit }: Pick<Part, 'row' | 'item' | 'unit'>): Ingredient {
  const { id, itemId, ingredientItemId, quantity, perQuantity, unitId, wastePercent, position, notes, createdAt, updatedAt } =
    wireNumbers(row);
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
    unit: unit && presentUnitRef(unit),
  };
}

/** A unit as other resources show it. */
export const presentUnitRef = ({ id, name, symbol }: UnitRecord): Infer<typeof unitRef> => ({ id, name, symbol });
