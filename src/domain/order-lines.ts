/** The lines of an order as a set: written whole, matched by id (D-7). */
import { ORDER_LINES_MAX } from '../contract/limits.ts';
import type { LinePatch } from '../contract/order-lines.ts';
import { type Context, nextTimestamp } from './context.ts';
import { invalidField } from './errors.ts';
import { followOutputs } from './order-components.ts';
import { checkSite } from './order-fields.ts';
import { type LineFields, lineFields } from './order-line-fields.ts';
import { lineReferences } from './order-line-references.ts';
import type { OrderLineRecord, OrderRecord } from './order-records.ts';
import type { ReadTx, Tx } from './tables.ts';

/** The lines of an order, in their order. */
export async function linesOf(tx: ReadTx, orderId: string): Promise<OrderLineRecord[]> {
  return (await tx.orderLines.after({ where: [{ field: 'orderId', equals: orderId }], orderBy: 'line_number', limit: ORDER_LINES_MAX }))
    .rows;
}

/** A line on its way into the set: `before` when it was in it. */
export interface LineInWork {
  readonly before?: OrderLineRecord;
  readonly fields: LineFields;
}

export interface LineSet {
  /** All lines, in their new order. One that did not change is the very record it was. */
  readonly lines: readonly OrderLineRecord[];
  readonly added: readonly OrderLineRecord[];
  readonly updated: readonly OrderLineRecord[];
  readonly removed: readonly OrderLineRecord[];
}

/**
 * The wanted set in place of the present one: an element with `id` changes that line, one without adds a line, a line that is not listed
 * goes. `order` has its new header and still its old status. Nothing is written, that is for `storeLines`; whether the change is allowed now
 * is for `checkLineLocks`.
 */
export async function replaceLines(
  tx: ReadTx,
  context: Context,
  order: OrderRecord,
  present: readonly OrderLineRecord[],
  wanted: readonly LinePatch[],
): Promise<LineSet> {
  const known = new Map(present.map((line) => [line.id, line]));
  checkIds(known, wanted);
  const references = await lineReferences(tx, order, known, wanted);
  const work: LineInWork[] = [];
  for (const [at, line] of wanted.entries()) {
    const before = line.id === undefined ? undefined : known.get(line.id);
    const path = `/lines/${String(at)}`;
    const fields = withHand(line, before, lineFields(order, references, line, before, path), path);
    if (fields.siteId !== null && fields.siteId !== before?.siteId) await checkSite(tx, fields.siteId, `${path}/siteId`);
    work.push({ ...(before ? { before } : {}), fields });
  }
  const complete = order.module === 'make' ? await followOutputs(tx, order, present, work) : work;
  if (complete.length > ORDER_LINES_MAX) {
    throw invalidField(
      '/lines',
      `lines: an order has at most ${String(ORDER_LINES_MAX)} lines, with its components it would have ${String(complete.length)}`,
      'too_big',
    );
  }
  return settle(context, order, present, complete);
}

/** Writes what `replaceLines` found to be new, changed or gone. */
export async function storeLines(tx: Tx, { added, updated, removed }: Pick<LineSet, 'added' | 'updated' | 'removed'>): Promise<void> {
  for (const line of removed) await tx.orderLines.remove(line.id);
  await tx.orderLines.putMany([...added, ...updated]);
}

function checkIds(known: ReadonlyMap<string, OrderLineRecord>, wanted: readonly LinePatch[]): void {
  const seen = new Set<string>();
  for (const [at, { id }] of wanted.entries()) {
    if (id === undefined) continue;
    const path = `/lines/${String(at)}/id`;
    if (!known.has(id)) throw invalidField(path, `${path}: the order has no line ${id}; leave id out to add a line`);
    if (seen.has(id)) throw invalidField(path, `${path}: line ${id} is listed twice`);
    seen.add(id);
  }
}

/** A component that the body changes is in the caller's hand from then on, until `isManual: false` gives it back. */
function withHand(wanted: LinePatch, before: OrderLineRecord | undefined, fields: LineFields, path: string): LineFields {
  const { component } = fields;
  if (component === null) return fields;
  if (wanted.isManual === false && component.sourceIngredientId === null) {
    throw invalidField(`${path}/isManual`, `${path}/isManual: the line was added by hand and has no ingredient to follow`, 'not_allowed');
  }
  const edited =
    before !== undefined && (fields.quantity !== before.quantity || fields.unitId !== before.unitId || fields.itemId !== before.itemId);
  const isManual = wanted.isManual ?? (edited || component.isManual);
  return isManual === component.isManual ? fields : { ...fields, component: { ...component, isManual } };
}

function settle(context: Context, order: OrderRecord, present: readonly OrderLineRecord[], work: readonly LineInWork[]): LineSet {
  const at = context.now.toISOString();
  const lines: OrderLineRecord[] = [];
  const added: OrderLineRecord[] = [];
  const updated: OrderLineRecord[] = [];
  for (const { before, fields } of work) {
    const lineNumber = lines.length + 1;
    if (before === undefined) {
      const line = { id: context.newId(), orderId: order.id, lineNumber, ...fields, createdAt: at, updatedAt: at };
      added.push(line);
      lines.push(line);
      continue;
    }
    const line = { ...before, ...fields, lineNumber };
    if (isSame(before, line)) {
      lines.push(before);
      continue;
    }
    const changed = { ...line, updatedAt: nextTimestamp(context.now, before.updatedAt) };
    updated.push(changed);
    lines.push(changed);
  }
  const kept = new Set(work.map(({ before }) => before?.id));
  const removed = present.filter((line) => !kept.has(line.id));
  return { lines, added, updated, removed };
}

function isSame(a: OrderLineRecord, b: OrderLineRecord): boolean {
  return (Object.keys(a) as (keyof OrderLineRecord)[]).every((key) => {
    const [x, y] = [a[key], b[key]];
    return x === y || (typeof x === 'object' && typeof y === 'object' && JSON.stringify(x) === JSON.stringify(y));
  });
}
