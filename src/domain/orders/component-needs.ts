/** What component lines need per output: of the ingredients while the order is a draft, afterwards of the line's snapshot (D-8). */
import type { OrderStatus } from '../../contract/resources/orders.ts';
import { formatNeedRatio, getNeedRatio, loadIngredients } from '../catalog/ingredient-needs.ts';
import { loadLineCatalog } from '../catalog/item-lines.ts';
import type { LineChange } from './line-fields.ts';
import type { LineReferences } from './line-references.ts';
import type { ComponentNeed, ComponentPart } from './records.ts';
import type { ReadTx } from '../tables.ts';

export interface ComponentNeeds {
  /** Of the outputs' present ingredients, by ingredient id. */
  readonly ingredients: ReadonlyMap<string, ComponentNeed>;
  /** The need of a component line. Undefined if its ingredient was deleted and the line is older than its snapshot. */
  find(component: ComponentPart): ComponentNeed | undefined;
  readonly references: LineReferences;
}

export async function loadComponentNeeds(
  tx: ReadTx,
  status: OrderStatus,
  outputItemIds: readonly string[],
  changes: readonly LineChange[],
): Promise<ComponentNeeds> {
  const ingredients = new Map<string, ComponentNeed>();
  for (const [outputItemId, parts] of await loadIngredients(tx, outputItemIds)) {
    for (const part of parts) ingredients.set(part.row.id, { outputItemId, itemId: part.item.id, ...formatNeedRatio(getNeedRatio(part)) });
  }
  const components = changes.flatMap(({ fields }) => (fields.component ? [fields] : []));
  const needs = [...ingredients.values(), ...components.flatMap(({ component }) => (component?.need ? [component.need] : []))];
  const catalog = await loadLineCatalog(tx, [...components, ...needs], []);
  return {
    ingredients,
    find({ sourceIngredientId, need }) {
      const present = ingredients.get(sourceIngredientId ?? '');
      return status === 'draft' ? (present ?? need) : (need ?? present);
    },
    references: { ...catalog, links: new Map(), sites: new Map() },
  };
}
