/** Items to reorder, and the orders that replenish them. D-17. */
import { ORDER_LINES_MAX } from '../../contract/limits.ts';
import { LINE_KINDS_BY_MODULE, type LineKind, getStockFlow } from '../../contract/resources/order-lines.ts';
import { ORDER_MODULES, OUTSTANDING_STATUSES, type OrderModule } from '../../contract/resources/orders.ts';
import type { Context } from '../kernel/context.ts';
import { getDistinctIds } from '../kernel/rows.ts';
import type { OrderRecord, OrderWithLines } from '../orders/records.ts';
import { getLineSiteId } from '../orders/requirements.ts';
import { toLevelId } from '../stock/levels.ts';
import type { StockLevelRecord } from '../stock/records.ts';
import { type ReorderAdvice, adviseReorders, getNeededQuantity, listLevelsToReorder } from '../stock/reorder-advice.ts';
import type { ReadTx, Tx } from '../tables.ts';
import { createOrder } from './order-changes.ts';

export interface Reorder {
  readonly level: StockLevelRecord;
  /** What is missing beyond the drafts. Null if no order is needed or possible. */
  readonly advice: ReorderAdvice | null;
  /** Drafts that bring the item to the site, although drafts do not count as incoming. */
  readonly drafts: readonly OrderRecord[];
  /** What they bring, in stock units. */
  readonly drafted: number;
  /** Orders that bring enough of the item, if no order is needed. */
  readonly incoming: readonly OrderRecord[];
}

/** Oversold items first. */
export async function listReorders(tx: ReadTx, defaultSiteId: string): Promise<Reorder[]> {
  const levels = await listLevelsToReorder(tx);
  const supplies = await listSupplies(tx, getDistinctIds(levels.map(({ itemId }) => itemId)), defaultSiteId);
  const found = levels.map((level) => {
    const { draft: drafts = [], order: orders = [] } = Object.groupBy(supplies.get(level.id) ?? [], ({ order: { status } }) =>
      status === 'draft' ? 'draft' : 'order',
    );
    return { level, drafts, orders, drafted: drafts.reduce((sum, { quantity }) => sum + quantity, 0) };
  });
  const advice = await adviseReorders(
    tx,
    found.map(({ level, drafted }) => ({ level, needed: getNeededQuantity(level, drafted) })),
  );
  return found.map(({ level, drafts, orders, drafted }, at) => ({
    level,
    advice: advice[at] ?? null,
    drafts: drafts.map(({ order }) => order),
    drafted,
    incoming: getNeededQuantity(level) === 0 ? orders.map(({ order }) => order) : [],
  }));
}

interface Supply {
  readonly order: OrderRecord;
  /** In stock units. */
  readonly quantity: number;
}

const isIncoming = (module: OrderModule, kind: LineKind): boolean => getStockFlow(module, kind) === 'incoming';
/** The modules whose orders bring stock. */
const SUPPLYING_MODULES = ORDER_MODULES.filter((module) => LINE_KINDS_BY_MODULE[module].some((kind) => isIncoming(module, kind)));

/**
 * Orders that are not finished, oldest first, by the levels of some items to which they bring stock; those of the ingredients of a production
 * are not among them.
 */
async function listSupplies(
  tx: ReadTx,
  itemIds: readonly string[],
  defaultSiteId: string,
): Promise<ReadonlyMap<string, readonly Supply[]>> {
  const supplies = new Map<string, Supply[]>();
  if (itemIds.length === 0) return supplies;
  const where = [
    { field: 'module', in: SUPPLYING_MODULES },
    { field: 'status', in: ['draft', ...OUTSTANDING_STATUSES] },
    { field: 'itemIds', in: itemIds },
  ];
  const { rows: orders } = await tx.orders.listAfter({ where, limit: Number.MAX_SAFE_INTEGER });
  const ofOrders = [{ field: 'orderId', in: orders.map(({ id }) => id) }];
  const lines = orders.length === 0 ? [] : (await tx.orderLines.listAfter({ where: ofOrders, limit: Number.MAX_SAFE_INTEGER })).rows;
  const byOrder = Map.groupBy(lines, ({ orderId }) => orderId);
  for (const order of orders) {
    const brought = (byOrder.get(order.id) ?? []).filter(({ kind }) => isIncoming(order.module, kind));
    // A draft would take the current default site when it is opened.
    const placed = { ...order, stockSiteId: order.stockSiteId ?? defaultSiteId };
    const quantities = new Map<string, number>();
    for (const line of brought) {
      if (line.itemId === null) continue;
      const id = toLevelId({ itemId: line.itemId, siteId: getLineSiteId(placed, line) });
      quantities.set(id, (quantities.get(id) ?? 0) + line.stockQuantity);
    }
    for (const [id, quantity] of quantities) supplies.set(id, [...(supplies.get(id) ?? []), { order, quantity }]);
  }
  return supplies;
}

/** Production may need ingredients that are made, too, to any depth that recipes have in practice. */
const ROUNDS_MAX = 20;

/**
 * Creates the orders: productions first, because they need ingredients that may then run low, one for each output and site, then purchases, one
 * for each supplier and site, or more if it would have too many lines. With drafts, which commit nothing, only what is low before.
 */
export async function createReorders(tx: Tx, context: Context, status: 'draft' | 'open'): Promise<OrderWithLines[]> {
  const { defaultSiteId } = context.tenant;
  const created: OrderWithLines[] = [];
  const order = async (group: readonly AdvisedLevel[]): Promise<void> => {
    const [first] = group;
    if (!first) return;
    const { siteId } = first.level;
    const { module, supplierId } = first.advice;
    const lines = group.map(({ level: { itemId }, advice: { quantity } }) => ({ itemId, quantity }));
    const header = { ...(supplierId !== null && { contactId: supplierId }), ...(siteId !== defaultSiteId && { siteId }) };
    created.push(await createOrder(tx, context, { module, status, priority: 'normal', ...header, lines }));
  };
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const advised = (await listReorders(tx, defaultSiteId)).flatMap(({ level, advice }) => (advice ? [{ level, advice }] : []));
    const productions = advised.filter(({ advice }) => advice.module === 'make');
    for (const production of productions) await order([production]);
    if (productions.length > 0) continue;
    const purchases = advised.filter(({ advice }) => advice.module === 'buy');
    for (const group of Map.groupBy(purchases, ({ level, advice }) => `${advice.supplierId ?? ''} ${level.siteId}`).values())
      for (let at = 0; at < group.length; at += ORDER_LINES_MAX) await order(group.slice(at, at + ORDER_LINES_MAX));
    break;
  }
  return created;
}

interface AdvisedLevel {
  readonly level: StockLevelRecord;
  readonly advice: ReorderAdvice;
}
