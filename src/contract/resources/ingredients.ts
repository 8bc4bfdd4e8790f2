/** Ingredients of a product or combo. D-10. */
import { INGREDIENTS_MAX_ROWS, NOTES_MAX_CHARS, NUMBER_BOUND } from '../limits.ts';
import { itemRef } from './items.ts';
import { CREATION, listQuery, single, defineOperation, paginated } from '../operation.ts';
import { type Infer, t } from '../schema/builder.ts';

const positive = () => t.number({ above: 0, below: NUMBER_BOUND });

export const unitRef = t.component('UnitRef', { id: t.uuid(), name: t.string(), symbol: t.string() });

export const ingredient = t.component('Ingredient', {
  id: t.uuid(),
  itemId: t.uuid(),
  ingredientItemId: t.uuid(),
  quantity: t.number(),
  perQuantity: t.number(),
  unitId: t.nullable(t.uuid()),
  wastePercent: t.number(),
  position: t.int({ min: 1 }),
  notes: t.nullable(t.string()),
  createdAt: t.timestamp(),
  updatedAt: t.timestamp(),
  ingredient: itemRef,
  unit: t.nullable(unitRef),
});
export type Ingredient = Infer<typeof ingredient>;

export const ingredientDraft = t.object({
  ingredientItemId: t.annotate(t.id('item'), { description: 'Id of a product or material.' }),
  quantity: t.annotate(positive(), {
    description:
      'Quantity needed for `perQuantity` units of the parent item; at least the smallest quantity of its unit. Half a piece is quantity 1, perQuantity 2.',
    example: 0.25,
  }),
  perQuantity: t.annotate(t.withDefault(positive(), 1), {
    description: 'Number of parent units that `quantity` is for: 1 carton per 12 pieces is quantity 1, perQuantity 12.',
  }),
  unitId: t.annotate(t.optional(t.nullable(t.id('unit'))), {
    description: "Unit of the same dimension as the ingredient's. Without one, or with null: the ingredient's unit.",
  }),
  wastePercent: t.annotate(t.withDefault(t.number({ min: 0, max: 100 }), 0), {
    description: 'Waste in percent, added to the quantity. Not allowed for combos.',
  }),
  position: t.annotate(t.optional(t.int({ min: 1, max: INGREDIENTS_MAX_ROWS })), {
    description: 'Position in the list, from 1; later ingredients move down. Default: the end of the list.',
  }),
  notes: t.optional(t.nullable(t.multiline(NOTES_MAX_CHARS))),
});
export type IngredientDraft = Infer<typeof ingredientDraft>;
export const ingredientPatch = t.partial(ingredientDraft);
export type IngredientPatch = Infer<typeof ingredientPatch>;

const itemParams = t.object({ item_id: t.id('item') });
const ingredientParams = t.object({ item_id: t.id('item'), ingredient_id: t.id('ingredient') });
const ITEM_ID = '7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e';
const EXAMPLE = { item_id: ITEM_ID, ingredient_id: 'b1c2d3e4-f5a6-4b7c-8d9e-0f1a2b3c4d5e' };
const INGREDIENT_ERRORS = ['DUPLICATE_VALUE', 'INACTIVE_REFERENCE', 'INVALID_ITEM_TYPE', 'BOM_CYCLE', 'LIMIT_REACHED'] as const;

export const listIngredients = defineOperation('items.ingredients.list', 'GET', '/v1/items/{item_id}/ingredients', {
  scope: 'items:read',
  summary: 'List the ingredients of an item',
  params: itemParams,
  query: t.object(listQuery(['position'], CREATION)),
  result: paginated(ingredient),
  example: { params: { item_id: ITEM_ID }, query: { page_size: '200' } },
});

export const createIngredient = defineOperation('items.ingredients.create', 'POST', '/v1/items/{item_id}/ingredients', {
  scope: 'items:write',
  summary: 'Add an ingredient to a product or combo',
  params: itemParams,
  body: ingredientDraft,
  status: 201,
  result: single(ingredient),
  errors: INGREDIENT_ERRORS,
  example: {
    params: { item_id: ITEM_ID },
    body: { ingredientItemId: '0a1b2c3d-4e5f-4a6b-9c7d-8e9f0a1b2c3d', quantity: 0.25, wastePercent: 2 },
  },
});

export const updateIngredient = defineOperation('items.ingredients.update', 'PATCH', '/v1/items/{item_id}/ingredients/{ingredient_id}', {
  scope: 'items:write',
  summary: 'Update an ingredient',
  description: 'Omitted fields are unchanged.',
  params: ingredientParams,
  body: ingredientPatch,
  result: single(ingredient),
  errors: [...INGREDIENT_ERRORS, 'PRECONDITION_FAILED'],
  example: { params: EXAMPLE, body: { quantity: 0.3, position: 1 } },
});

export const deleteIngredient = defineOperation('items.ingredients.delete', 'DELETE', '/v1/items/{item_id}/ingredients/{ingredient_id}', {
  scope: 'items:write',
  summary: 'Remove an ingredient',
  params: ingredientParams,
  result: null,
  errors: ['PRECONDITION_FAILED'],
  example: { params: EXAMPLE },
});

export const ingredientOperations = [listIngredients, createIngredient, updateIngredient, deleteIngredient] as const;
