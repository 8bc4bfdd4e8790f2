/**
 * The snapshot that an order takes when it leaves draft, because ingredients and the default site may change later: the parts of its combos,
 * and the site of its stock. An order that returns to draft drops it.
 */
import { type RecipeLine, formatNeedRatio, getNeedRatio, loadRecipes } from '../catalog/bom.ts';
import type { Context } from '../kernel/context.ts';
import { getRowsById } from '../kernel/rows.ts';
import type { KitPart, OrderLineRecord, OrderRecord } from './records.ts';
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
  { tenant }: Context,
  order: OrderRecord,
  lines: readonly OrderLineRecord[],
): Promise<StockSnapshot> {
  if (order.status === 'draft') {
    return { order: { ...order, stockSiteId: null }, lines: lines.map((line) => (line.kit === null ? line : { ...line, kit: null })) };
  }
  if (!isOutstanding(order.status) && order.status !== 'completed') return { order, lines };
  const linesAfter: OrderLineRecord[] = [];
  const kits = order.module === 'sell' ? await loadKits(tx, lines) : new Map<string, KitPart[]>();
  for (const line of lines)
    linesAfter.push(updateFulfilledQuantity(line.kit === null && kits.has(line.id) ? { ...line, kit: kits.get(line.id) ?? [] } : line));
  return { order: { ...order, stockSiteId: order.stockSiteId ?? tenant.defaultSiteId }, lines: linesAfter };
}

/** The parts of combos on lines without a snapshot, by line id. */
async function loadKits(tx: ReadTx, lines: readonly OrderLineRecord[]): Promise<Map<string, KitPart[]>> {
  const linesWithoutKit = lines.filter(({ kind, kit }) => kind === 'item' && kit === null);
  const items = await getRowsById(tx.items, [...new Set(linesWithoutKit.map(({ itemId }) => itemId).filter((id) => id !== null))]);
  const comboIds = new Set([...items.values()].filter(({ itemType }) => itemType === 'combo').map(({ id }) => id));
  const recipes = await loadRecipes(tx, [...comboIds]);
  const kits = new Map<string, KitPart[]>();
  for (const { id, itemId } of linesWithoutKit)
    if (itemId !== null && comboIds.has(itemId)) kits.set(id, (recipes.get(itemId) ?? []).map(toKitPart));
  return kits;
}

function toKitPart(part: RecipeLine): KitPart {
  return { itemId: part.item.id, ...formatNeedRatio(getNeedRatio(part)), posted: 0 };
}

/** Recalculates the fulfilled quantity of a posted line, whose quantity may have changed. */
function updateFulfilledQuantity(line: OrderLineRecord): OrderLineRecord {
  if (!isPosted(line)) return line;
  const fulfilledQuantity = getFulfilledQuantity(line);
  return fulfilledQuantity === line.fulfilledQuantity ? line : { ...line, fulfilledQuantity };
}
