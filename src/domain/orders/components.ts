/**
 * Component lines of make orders. Adding an output line adds the ingredients of its item as component lines. As long as lines can change, they
 * follow the outputs of that item and are removed with the last one, unless they were edited manually (D-8).
 */
import type { LinePatch } from '../../contract/resources/order-lines.ts';
import { calculateBoundedNeed, parseNeedRatio } from '../catalog/ingredient-needs.ts';
import { convertFromStockUp, parseFactor } from '../catalog/unit-conversion.ts';
import { StockroomError } from '../kernel/errors.ts';
import { fromMicro } from '../kernel/numbers.ts';
import { type ComponentNeeds, loadComponentNeeds } from './component-needs.ts';
import { type LineChange, buildLineFields } from './line-fields.ts';
import type { ComponentNeed, ComponentPart, OrderLineRecord, OrderRecord } from './records.ts';
import { isPosted } from './requirements.ts';
import type { ReadTx } from '../tables.ts';

/** The quantities of the output items, in stock units, before and after a change. */
interface Outputs {
  readonly before: ReadonlyMap<string, number>;
  readonly after: ReadonlyMap<string, number>;
}

/**
 * Adds, updates and removes component lines to match the output lines. `linesBefore` are the lines before the change. Throws FIELD_LOCKED for
 * a line that would have to follow its output but cannot.
 */
export async function syncComponents(
  tx: ReadTx,
  order: OrderRecord,
  linesBefore: readonly OrderLineRecord[],
  changes: readonly LineChange[],
): Promise<readonly LineChange[]> {
  const outputs = { before: sumOutputs(linesBefore), after: sumOutputs(changes.map(({ fields }) => fields)) };
  const itemIds = [...new Set([...outputs.before.keys(), ...outputs.after.keys()])];
  const changedItemIds = itemIds.filter((itemId) => outputs.before.get(itemId) !== outputs.after.get(itemId));
  const isAnyReleased = changes.some(({ isReleased }) => isReleased);
  if (changedItemIds.length === 0 && !isAnyReleased) return changes;

  const needs = await loadComponentNeeds(tx, order.status, isAnyReleased ? itemIds : changedItemIds, changes);
  const syncedLines = changes.map((line) => syncLine(order, needs, outputs, line)).filter((line) => line !== undefined);

  // A body that adds its own components overrides the ingredients of its new outputs.
  if (syncedLines.some(({ before, fields }) => before === undefined && fields.kind === 'component')) return syncedLines;
  const presentIngredients = new Set(syncedLines.map(({ fields }) => fields.component?.sourceIngredientId));
  const additions = [...needs.ingredients].filter(
    ([ingredientId, { outputItemId }]) => !outputs.before.has(outputItemId) && !presentIngredients.has(ingredientId),
  );
  return [
    ...syncedLines,
    ...additions.map(([ingredientId, need]) => ({ fields: buildComponentFields(order, needs, ingredientId, need, outputs) })),
  ];
}

/** The line after its outputs changed; undefined if it goes with them. */
function syncLine(order: OrderRecord, needs: ComponentNeeds, { before, after }: Outputs, line: LineChange): LineChange | undefined {
  const { component } = line.fields;
  if (typeof component?.sourceIngredientId !== 'string') return line;
  const need = needs.find(component);
  const isAffected = need
    ? before.get(need.outputItemId) !== after.get(need.outputItemId)
    : [...before].some(([itemId, quantity]) => after.get(itemId) !== quantity);
  if (!isAffected && line.isReleased !== true) return line;
  if (!need) {
    if (!component.isManual) throw createUnknownNeedError(order, line);
    return { ...line, fields: { ...line.fields, component: { ...component, plannedQuantity: null } } };
  }
  const outputQuantity = after.get(need.outputItemId);
  const plannedQuantity = outputQuantity === undefined ? 0 : calculatePlanned(need, outputQuantity);
  const planned: ComponentPart = { ...component, plannedQuantity, need };
  if (component.isManual) return { ...line, fields: { ...line.fields, component: planned } };
  if (outputQuantity === undefined) return undefined;
  return { ...line, fields: followOutputs(order, needs, line, planned, need) };
}

/** The component with the planned quantity, or with what is posted if that is more. */
function followOutputs(
  order: OrderRecord,
  needs: ComponentNeeds,
  { before, fields }: LineChange,
  component: ComponentPart,
  need: ComponentNeed,
) {
  const { itemId } = need;
  const plannedQuantity = component.plannedQuantity ?? 0;
  if (before && isPosted(before)) {
    // A posted line keeps its unit.
    const unit = needs.references.units.get(fields.unitId ?? '') ?? null;
    const stock = Math.max(plannedQuantity, before.posted.stock);
    const quantity = Math.max(before.posted.quantity, convertFromStockUp(stock, parseFactor(fields.stockFactor), unit));
    return { ...buildLineFields(order, needs.references, { itemId, quantity: fromMicro(quantity) }, fields, '/lines'), component };
  }
  const { unitId = null } = needs.references.items.get(itemId) ?? {};
  const patch = { itemId, unitId, quantity: fromMicro(plannedQuantity) };
  return { ...buildLineFields(order, needs.references, patch, fields, '/lines'), component };
}

function buildComponentFields(
  order: OrderRecord,
  { references }: ComponentNeeds,
  sourceIngredientId: string,
  need: ComponentNeed,
  { after }: Outputs,
) {
  const plannedQuantity = calculatePlanned(need, after.get(need.outputItemId) ?? 0);
  const linePatch: LinePatch = { kind: 'component', itemId: need.itemId, quantity: fromMicro(plannedQuantity) };
  const component: ComponentPart = { sourceIngredientId, plannedQuantity, isManual: false, need };
  return { ...buildLineFields(order, references, linePatch, undefined, '/lines'), component };
}

const calculatePlanned = (need: ComponentNeed, outputQuantity: number): number =>
  calculateBoundedNeed(parseNeedRatio(need), need.itemId, outputQuantity, '/lines');

function createUnknownNeedError({ orderNumber, status }: OrderRecord, { before, fields }: LineChange): StockroomError {
  const lineIds = before ? [before.id] : [];
  return new StockroomError(
    'FIELD_LOCKED',
    `Line ${String(before?.lineNumber ?? '')} of ${orderNumber}, ${fields.description}, cannot follow its output: its ingredient was deleted. Set isManual to true, and the quantity.`,
    { details: { fields: ['lines'], status, lineIds } },
  );
}

/** The quantity of each output item, in stock units. */
function sumOutputs(lines: readonly Pick<OrderLineRecord, 'kind' | 'itemId' | 'stockQuantity'>[]): Map<string, number> {
  const outputs = new Map<string, number>();
  for (const { kind, itemId, stockQuantity } of lines) {
    if (kind === 'output' && itemId !== null) outputs.set(itemId, (outputs.get(itemId) ?? 0) + stockQuantity);
  }
  return outputs;
}
