/**
 * The snapshot that an order takes when it leaves draft, because ingredients and the default site may change later: the parts of its combos,
 * and the site of its stock. An order that returns to draft drops it.
 */
import { type IngredientLine, formatNeedRatio, getNeedRatio, loadIngredients } from '../catalog/ingredient-needs.ts';
import { type Context, getNextTimestamp } from '../kernel/context.ts';
import { getReferencedRows } from '../kernel/rows.ts';
import type { LineSet } from './lines.ts';
import type { ComboPart, OrderLineRecord, OrderRecord } from './records.ts';
import { getFulfilledQuantity, isPosted } from './requirements.ts';
import { isOutstanding } from '../../contract/resources/orders.ts';
import type { ReadTx } from '../tables.ts';

interface StockSnapshot {
  readonly order: OrderRecord;
  /** Unchanged lines are the same objects. */
  readonly lines: readonly OrderLineRecord[];
}

/** Takes or drops the snapshot, as the status of the changed `order` requires. */
export async function snapshotStock(
  tx: ReadTx,
  { tenant, now }: Context,
  order: OrderRecord,
  { lines, added, updated }: Pick<LineSet, 'lines' | 'added' | 'updated'>,
): Promise<StockSnapshot> {
  const changed = new Set([...added, ...updated]);
  // A line shows its parts, so it changes with them; the time of a line that has changed already is that of this change.
  const withKit = (line: OrderLineRecord, kit: OrderLineRecord['kit']): OrderLineRecord =>
    kit === line.kit ? line : { ...line, kit, updatedAt: changed.has(line) ? line.updatedAt : getNextTimestamp(now, line.updatedAt) };
  if (order.status === 'draft') return { order: { ...order, stockSiteId: null }, lines: lines.map((line) => withKit(line, null)) };
  if (!isOutstanding(order.status) && order.status !== 'completed') return { order, lines };
  const linesAfter: OrderLineRecord[] = [];
  const parts = order.module === 'sell' ? await loadComboParts(tx, lines) : new Map<string, ComboPart[]>();
  for (const line of lines) linesAfter.push(updateFulfilledQuantity(withKit(line, parts.get(line.id) ?? line.kit)));
  return { order: { ...order, stockSiteId: order.stockSiteId ?? tenant.defaultSiteId }, lines: linesAfter };
}

/** The parts of combos on lines without a snapshot, by line id. */
async function loadComboParts(tx: ReadTx, lines: readonly OrderLineRecord[]): Promise<Map<string, ComboPart[]>> {
  const linesWithoutParts = lines.filter(({ kind, kit }) => kind === 'item' && kit === null);
  const items = await getReferencedRows(tx.items, linesWithoutParts, ({ itemId }) => itemId);
  const comboIds = new Set([...items.values()].filter(({ itemType }) => itemType === 'combo').map(({ id }) => id));
  const ingredients = await loadIngredients(tx, [...comboIds]);
  const parts = new Map<string, ComboPart[]>();
  for (const { id, itemId } of linesWithoutParts)
    if (itemId !== null && comboIds.has(itemId)) parts.set(id, (ingredients.get(itemId) ?? []).map(toComboPart));
  return parts;
}

function toComboPart(part: IngredientLine): ComboPart {
  return { itemId: part.item.id, ...formatNeedRatio(getNeedRatio(part)), posted: 0 };
}

/** Recalculates the fulfilled quantity of a posted line, whose quantity may have changed. */
function updateFulfilledQuantity(line: OrderLineRecord): OrderLineRecord {
  if (!isPosted(line)) return line;
  const fulfilledQuantity = getFulfilledQuantity(line);
  return fulfilledQuantity === line.fulfilledQuantity ? line : { ...line, fulfilledQuantity };
}
