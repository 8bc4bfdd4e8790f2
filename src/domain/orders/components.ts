/**
 * Component lines of make orders. Adding an output line adds the ingredients of its item as component lines. While the order is a draft,
 * they follow the output's quantity and are removed with it, unless they were edited manually (D-8). After that they are a snapshot.
 */
import type { LinePatch } from '../../contract/resources/order-lines.ts';
import { type IngredientNeed, explodeRecipe, listIngredientsOf, loadRecipes } from '../catalog/bom.ts';
import type { ItemRecord, UnitRecord } from '../catalog/records.ts';
import { fromMicro } from '../kernel/numbers.ts';
import { type LineChange, buildLineFields } from './line-fields.ts';
import type { LineReferences } from './line-references.ts';
import type { ComponentPart, OrderLineRecord, OrderRecord } from './records.ts';
import type { ReadTx } from '../tables.ts';

/** Adds, updates and removes component lines to match the output lines. `linesBefore` are the lines before the change. */
export async function syncComponents(
  tx: ReadTx,
  order: OrderRecord,
  linesBefore: readonly OrderLineRecord[],
  changes: readonly LineChange[],
): Promise<readonly LineChange[]> {
  const isDraft = order.status === 'draft';
  const [quantitiesBefore, quantitiesAfter] = [sumOutputs(linesBefore), sumOutputs(changes.map(({ fields }) => fields))];
  const addedOutputs = [...quantitiesAfter.keys()].filter((itemId) => !quantitiesBefore.has(itemId));
  const changedOutputs = [...quantitiesAfter.keys()].filter((itemId) => quantitiesBefore.get(itemId) !== quantitiesAfter.get(itemId));
  const removedOutputs = [...quantitiesBefore.keys()].filter((itemId) => !quantitiesAfter.has(itemId));
  const isAnyReleased =
    isDraft && changes.some(({ before, fields }) => before?.component?.isManual === true && fields.component?.isManual === false);
  const affectedOutputs = isAnyReleased ? [...quantitiesAfter.keys()] : isDraft ? changedOutputs : addedOutputs;
  if (affectedOutputs.length === 0 && removedOutputs.length === 0) return changes;

  const recipe = await loadRecipe(tx, new Map(affectedOutputs.map((itemId) => [itemId, quantitiesAfter.get(itemId) ?? 0])));
  const removedIngredients = isDraft ? await listIngredientIds(tx, removedOutputs) : new Set<string>();
  // A component that is no longer manual follows its output again; others follow only if their own output changed.
  const changedOutputSet = new Set(changedOutputs);
  const syncLine = (line: LineChange): LineChange | undefined => {
    const { before, fields } = line;
    const source = fields.component?.sourceIngredientId;
    if (!fields.component || typeof source !== 'string') return line;
    if (removedIngredients.has(source) && !fields.component.isManual) return undefined;
    const need = recipe.needs.get(source);
    const isReleased = before?.component?.isManual === true && !fields.component.isManual;
    if (!isDraft || !need || !(isReleased || changedOutputSet.has(need.outputItemId))) return line;
    const component = { ...fields.component, plannedQuantity: need.quantity };
    if (component.isManual) return { ...line, fields: { ...fields, component } };
    const { unitId = null } = recipe.references.items.get(need.itemId) ?? {};
    const patch = { itemId: need.itemId, unitId, quantity: fromMicro(need.quantity) };
    return { ...line, fields: { ...buildLineFields(order, recipe.references, patch, fields, '/lines'), component } };
  };
  const syncedLines = changes.map(syncLine).filter((line) => line !== undefined);

  // ours: a body that adds its own components overrides the ingredients of its new outputs.
  if (syncedLines.some(({ before, fields }) => before === undefined && fields.kind === 'component')) return syncedLines;
  const presentIngredients = new Set(syncedLines.map(({ fields }) => fields.component?.sourceIngredientId));
  const addedOutputSet = new Set(addedOutputs);
  const additions = [...recipe.needs.values()].filter(
    (need) => addedOutputSet.has(need.outputItemId) && !presentIngredients.has(need.ingredientId),
  );
  return [...syncedLines, ...additions.map((need) => ({ fields: buildComponentFields(order, recipe.references, need) }))];
}

function buildComponentFields(order: OrderRecord, references: LineReferences, need: IngredientNeed) {
  const linePatch: LinePatch = { kind: 'component', itemId: need.itemId, quantity: fromMicro(need.quantity) };
  const component: ComponentPart = { sourceIngredientId: need.ingredientId, plannedQuantity: need.quantity, isManual: false };
  return { ...buildLineFields(order, references, linePatch, undefined, '/lines'), component };
}

/** The quantity of each output item, in stock units. */
function sumOutputs(lines: readonly Pick<OrderLineRecord, 'kind' | 'itemId' | 'stockQuantity'>[]): Map<string, number> {
  const outputs = new Map<string, number>();
  for (const { kind, itemId, stockQuantity } of lines) {
    if (kind === 'output' && itemId !== null) outputs.set(itemId, (outputs.get(itemId) ?? 0) + stockQuantity);
  }
  return outputs;
}

interface Recipe {
  /** By ingredient id. */
  readonly needs: ReadonlyMap<string, IngredientNeed & { readonly outputItemId: string }>;
  readonly references: LineReferences;
}

async function loadRecipe(tx: ReadTx, outputs: ReadonlyMap<string, number>): Promise<Recipe> {
  const needs = new Map<string, IngredientNeed & { readonly outputItemId: string }>();
  const items = new Map<string, ItemRecord>();
  const units = new Map<string, UnitRecord>();
  const recipes = await loadRecipes(tx, [...outputs.keys()]);
  for (const [outputItemId, quantity] of outputs) {
    const parts = recipes.get(outputItemId) ?? [];
    for (const { item, stockUnit } of parts) {
      items.set(item.id, item);
      if (stockUnit) units.set(stockUnit.id, stockUnit);
    }
    for (const need of explodeRecipe(parts, quantity, '/lines')) needs.set(need.ingredientId, { ...need, outputItemId });
  }
  return { needs, references: { items, units, links: new Map(), sites: new Map() } };
}

async function listIngredientIds(tx: ReadTx, itemIds: readonly string[]): Promise<Set<string>> {
  const rowsByItem = await listIngredientsOf(tx, itemIds);
  return new Set([...rowsByItem.values()].flat().map((row) => row.id));
}
