/** The lines of an order: a body replaces all of them, matching existing lines by id (D-7). */
import { ORDER_LINES_MAX } from '../../contract/limits.ts';
import type { LinePatch } from '../../contract/resources/order-lines.ts';
import { type Context, getNextTimestamp } from '../kernel/context.ts';
import { invalidField } from '../kernel/errors.ts';
import { checkNewCombos } from './combos.ts';
import { syncComponents } from './components.ts';
import { requireActiveSite } from '../tenancy/sites.ts';
import { type LineFields, type LineChange, buildLineFields } from './line-fields.ts';
import { loadLineReferences } from './line-references.ts';
import type { OrderLineRecord, OrderRecord } from './records.ts';
import type { ReadTx, Tx } from '../tables.ts';

/** The lines of an order, by line number. */
export async function listOrderLines(tx: ReadTx, orderId: string): Promise<OrderLineRecord[]> {
  return (await tx.orderLines.listAfter({ where: [{ field: 'orderId', equals: orderId }], orderBy: 'line_number', limit: ORDER_LINES_MAX }))
    .rows;
}

/** The result of replacing the lines of an order. */
export interface LineSet {
  /** All lines, in their new order. Unchanged lines are the same objects. */
  readonly lines: readonly OrderLineRecord[];
  readonly added: readonly OrderLineRecord[];
  readonly updated: readonly OrderLineRecord[];
  readonly removed: readonly OrderLineRecord[];
}

/**
 * Replaces the lines of an order: a patch with `id` changes that line, one without adds a line, lines without a patch are removed. `order`
 * has its new header and its old status. Writes nothing (see `storeLines`), and does not check locks (see `checkLineLocks`).
 */
export async function replaceLines(
  tx: ReadTx,
  context: Context,
  order: OrderRecord,
  linesBefore: readonly OrderLineRecord[],
  patches: readonly LinePatch[],
): Promise<LineSet> {
  const linesById = new Map(linesBefore.map((line) => [line.id, line]));
  checkIds(linesById, patches);
  const references = await loadLineReferences(tx, order, linesById, patches);
  const changes: LineChange[] = [];
  for (const [index, line] of patches.entries()) {
    const before = line.id === undefined ? undefined : linesById.get(line.id);
    const path = `/lines/${String(index)}`;
    const fields = updateIsManual(line, before, buildLineFields(order, references, line, before, path), path);
    if (fields.siteId !== null && fields.siteId !== before?.siteId)
      requireActiveSite(references.sites.get(fields.siteId), fields.siteId, `${path}/siteId`);
    changes.push({ ...(before ? { before } : {}), fields, isReleased: line.isManual === false });
  }
  if (order.module === 'sell') await checkNewCombos(tx, references.items, changes);
  const changesWithComponents = order.module === 'make' ? await syncComponents(tx, order, linesBefore, changes) : changes;
  if (changesWithComponents.length > ORDER_LINES_MAX) {
    throw invalidField(
      '/lines',
      `lines: an order can have ${String(ORDER_LINES_MAX)} lines; with its components it would have ${String(changesWithComponents.length)}`,
      'too_big',
    );
  }
  return toLineSet(context, order, linesBefore, changesWithComponents);
}

/** Writes the added, updated and removed lines. */
export async function storeLines(tx: Tx, { added, updated, removed }: Pick<LineSet, 'added' | 'updated' | 'removed'>): Promise<void> {
  for (const line of removed) await tx.orderLines.remove(line.id);
  await tx.orderLines.putMany([...added, ...updated]);
}

function checkIds(linesById: ReadonlyMap<string, OrderLineRecord>, patches: readonly LinePatch[]): void {
  const seenIds = new Set<string>();
  for (const [index, { id }] of patches.entries()) {
    if (id === undefined) continue;
    const path = `/lines/${String(index)}/id`;
    if (!linesById.has(id)) throw invalidField(path, `${path}: the order has no line ${id}. Omit id to add a line`);
    if (seenIds.has(id)) throw invalidField(path, `${path}: line ${id} is listed twice`);
    seenIds.add(id);
  }
}

/** Marks an edited component line as manual. `isManual: false` makes it follow its output again. */
function updateIsManual(patch: LinePatch, before: OrderLineRecord | undefined, fields: LineFields, path: string): LineFields {
  const { component } = fields;
  if (component === null) return fields;
  if (patch.isManual === false && component.sourceIngredientId === null) {
    throw invalidField(
      `${path}/isManual`,
      `${path}/isManual must be true: the line was added manually and has no ingredient to follow`,
      'not_allowed',
    );
  }
  const isEdited =
    before !== undefined && (fields.quantity !== before.quantity || fields.unitId !== before.unitId || fields.itemId !== before.itemId);
  const isManual = patch.isManual ?? (isEdited || component.isManual);
  return isManual === component.isManual ? fields : { ...fields, component: { ...component, isManual } };
}

function toLineSet(context: Context, order: OrderRecord, linesBefore: readonly OrderLineRecord[], changes: readonly LineChange[]): LineSet {
  const at = context.now.toISOString();
  const lines: OrderLineRecord[] = [];
  const added: OrderLineRecord[] = [];
  const updated: OrderLineRecord[] = [];
  for (const { before, fields } of changes) {
    const lineNumber = lines.length + 1;
    if (before === undefined) {
      const line = { id: context.newId(), orderId: order.id, lineNumber, ...fields, createdAt: at, updatedAt: at };
      added.push(line);
      lines.push(line);
      continue;
    }
    const line = { ...before, ...fields, lineNumber };
    if (isUnchanged(before, line)) {
      lines.push(before);
      continue;
    }
    const updatedLine = { ...line, updatedAt: getNextTimestamp(context.now, before.updatedAt) };
    updated.push(updatedLine);
    lines.push(updatedLine);
  }
  const keptIds = new Set(changes.map(({ before }) => before?.id));
  const removed = linesBefore.filter((line) => !keptIds.has(line.id));
  return { lines, added, updated, removed };
}

function isUnchanged(lineBefore: OrderLineRecord, lineAfter: OrderLineRecord): boolean {
  return (Object.keys(lineBefore) as (keyof OrderLineRecord)[]).every((key) => {
    const [before, after] = [lineBefore[key], lineAfter[key]];
    return (
      before === after || (typeof before === 'object' && typeof after === 'object' && JSON.stringify(before) === JSON.stringify(after))
    );
  });
}
