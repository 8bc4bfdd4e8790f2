/**
 * What an order fixes when it leaves draft, because recipes and the default site may change under it: the parts of its combos, and where
 * its stock is counted. An order that goes back to draft lets go of both.
 */
import { needRatio, partsOf } from './bom.ts';
import type { Context } from './context.ts';
import { byId } from './order-line-references.ts';
import type { KitPart, OrderLineRecord, OrderRecord } from './order-records.ts';
import { fulfilledOf, isPosted } from './order-stock.ts';
import { isOutstanding } from './order-transitions.ts';
import type { ReadTx } from './tables.ts';

interface Settled {
  readonly order: OrderRecord;
  /** A line that did not change is the very record it was. */
  readonly lines: readonly OrderLineRecord[];
}

/** The order as its new status wants it; `order` and `lines` are those after the change otherwise. */
export async function settleStock(
  tx: ReadTx,
  { tenant }: Context,
  order: OrderRecord,
  lines: readonly OrderLineRecord[],
): Promise<Settled> {
  if (order.status === 'draft') {
    return { order: { ...order, stockSiteId: null }, lines: lines.map((line) => (line.kit === null ? line : { ...line, kit: null })) };
  }
  if (!isOutstanding(order.status) && order.status !== 'completed') return { order, lines };
  const settled: OrderLineRecord[] = [];
  const kits = order.module === 'sell' ? await kitsOf(tx, lines) : new Map<string, KitPart[]>();
  for (const line of lines)
    settled.push(refulfilled(line.kit === null && kits.has(line.id) ? { ...line, kit: kits.get(line.id) ?? [] } : line));
  return { order: { ...order, stockSiteId: order.stockSiteId ?? tenant.defaultSiteId }, lines: settled };
}

/** The parts of each combo that has no snapshot yet, by line. */
async function kitsOf(tx: ReadTx, lines: readonly OrderLineRecord[]): Promise<Map<string, KitPart[]>> {
  const open = lines.filter(({ kind, kit }) => kind === 'item' && kit === null);
  const items = await byId(tx.items, [...new Set(open.map(({ itemId }) => itemId).filter((id) => id !== null))]);
  const recipes = new Map<string, KitPart[]>();
  for (const { id, itemType } of items.values()) if (itemType === 'combo') recipes.set(id, await recipeOf(tx, id));
  const kits = new Map<string, KitPart[]>();
  for (const { id, itemId } of open) {
    const recipe = recipes.get(itemId ?? '');
    if (recipe) kits.set(id, recipe);
  }
  return kits;
}

async function recipeOf(tx: ReadTx, itemId: string): Promise<KitPart[]> {
  return (await partsOf(tx, itemId)).map((part) => {
    const { numerator, denominator, step } = needRatio(part);
    const texts = { numerator: String(numerator), denominator: String(denominator), step: String(step) };
    return { itemId: part.item.id, ...texts, posted: 0 };
  });
}

/** What is posted may be more or less of a line whose quantity has changed. */
function refulfilled(line: OrderLineRecord): OrderLineRecord {
  if (!isPosted(line)) return line;
  const fulfilledQuantity = fulfilledOf(line);
  return fulfilledQuantity === line.fulfilledQuantity ? line : { ...line, fulfilledQuantity };
}
