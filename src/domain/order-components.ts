/**
 * Components of a make order. An output that enters the order brings the ingredients of its item as component lines; while the order is a
 * draft they follow the quantity of the output and leave with it, unless they were edited by hand (D-8). Afterwards they are a snapshot.
 */
import type { LinePatch } from '../contract/order-lines.ts';
import { type Need, explode, partsOf, rowsOf } from './bom.ts';
import type { ItemRecord } from './items.ts';
import { fromMicro } from './numbers.ts';
import { lineFields } from './order-line-fields.ts';
import type { LineReferences } from './order-line-references.ts';
import type { LineInWork } from './order-lines.ts';
import type { ComponentPart, OrderLineRecord, OrderRecord } from './order-records.ts';
import type { UnitRecord } from './settings.ts';
import type { ReadTx } from './tables.ts';

/** The lines with the components that their outputs ask for. `present` is the set before the change. */
export async function followOutputs(
  tx: ReadTx,
  order: OrderRecord,
  present: readonly OrderLineRecord[],
  work: readonly LineInWork[],
): Promise<readonly LineInWork[]> {
  const isDraft = order.status === 'draft';
  const [was, is] = [outputsOf(present), outputsOf(work.map(({ fields }) => fields))];
  const entered = [...is.keys()].filter((itemId) => !was.has(itemId));
  const changed = [...is.keys()].filter((itemId) => was.get(itemId) !== is.get(itemId));
  const gone = [...was.keys()].filter((itemId) => !is.has(itemId));
  const givenBack =
    isDraft && work.some(({ before, fields }) => before?.component?.isManual === true && fields.component?.isManual === false);
  const asked = givenBack ? [...is.keys()] : isDraft ? changed : entered;
  if (asked.length === 0 && gone.length === 0) return work;

  const recipe = await recipeOf(tx, new Map(asked.map((itemId) => [itemId, is.get(itemId) ?? 0])));
  const leaving = isDraft ? await ingredientIdsOf(tx, gone) : new Set<string>();
  // What was given back follows now; the others follow only when their own output changed.
  const moved = new Set(changed);
  const follow = (line: LineInWork): LineInWork | undefined => {
    const { before, fields } = line;
    const source = fields.component?.sourceIngredientId;
    if (!fields.component || typeof source !== 'string') return line;
    if (leaving.has(source) && !fields.component.isManual) return undefined;
    const need = recipe.needs.get(source);
    const released = before?.component?.isManual === true && !fields.component.isManual;
    if (!isDraft || !need || !(released || moved.has(need.outputItemId))) return line;
    const component = { ...fields.component, plannedQuantity: need.quantity };
    if (component.isManual) return { ...line, fields: { ...fields, component } };
    const { unitId = null } = recipe.references.items.get(need.itemId) ?? {};
    const wanted = { itemId: need.itemId, unitId, quantity: fromMicro(need.quantity) };
    return { ...line, fields: { ...lineFields(order, recipe.references, wanted, fields, '/lines'), component } };
  };
  const followed = work.map(follow).filter((line) => line !== undefined);

  // ours: a body that adds components of its own knows better than the recipe what its new outputs need.
  if (followed.some(({ before, fields }) => before === undefined && fields.kind === 'component')) return followed;
  const there = new Set(followed.map(({ fields }) => fields.component?.sourceIngredientId));
  const enters = new Set(entered);
  const additions = [...recipe.needs.values()].filter((need) => enters.has(need.outputItemId) && !there.has(need.ingredientId));
  return [...followed, ...additions.map((need) => ({ fields: componentOf(order, recipe.references, need) }))];
}

function componentOf(order: OrderRecord, references: LineReferences, need: Need) {
  const wanted: LinePatch = { kind: 'component', itemId: need.itemId, quantity: fromMicro(need.quantity) };
  const component: ComponentPart = { sourceIngredientId: need.ingredientId, plannedQuantity: need.quantity, isManual: false };
  return { ...lineFields(order, references, wanted, undefined, '/lines'), component };
}

/** How much of each item the outputs make, in stock units. */
function outputsOf(lines: readonly Pick<OrderLineRecord, 'kind' | 'itemId' | 'stockQuantity'>[]): Map<string, number> {
  const outputs = new Map<string, number>();
  for (const { kind, itemId, stockQuantity } of lines) {
    if (kind === 'output' && itemId !== null) outputs.set(itemId, (outputs.get(itemId) ?? 0) + stockQuantity);
  }
  return outputs;
}

interface Recipe {
  /** By ingredient. */
  readonly needs: ReadonlyMap<string, Need & { readonly outputItemId: string }>;
  readonly references: LineReferences;
}

async function recipeOf(tx: ReadTx, outputs: ReadonlyMap<string, number>): Promise<Recipe> {
  const needs = new Map<string, Need & { readonly outputItemId: string }>();
  const items = new Map<string, ItemRecord>();
  const units = new Map<string, UnitRecord>();
  for (const [outputItemId, quantity] of outputs) {
    const parts = await partsOf(tx, outputItemId);
    for (const { item, stockUnit } of parts) {
      items.set(item.id, item);
      if (stockUnit) units.set(stockUnit.id, stockUnit);
    }
    for (const need of explode(parts, quantity, '/lines')) needs.set(need.ingredientId, { ...need, outputItemId });
  }
  return { needs, references: { items, units, links: new Map() } };
}

async function ingredientIdsOf(tx: ReadTx, itemIds: readonly string[]): Promise<Set<string>> {
  const rows = await Promise.all(itemIds.map((itemId) => rowsOf(tx, itemId)));
  return new Set(rows.flat().map((row) => row.id));
}
