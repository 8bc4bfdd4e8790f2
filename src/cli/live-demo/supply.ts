/** Supply of the live demo: low stock is reported, bought or made, arrives, and is counted now and then. */
import { PAGE_SIZE_MAX } from '../../contract/limits.ts';
import type { StockLevel } from '../../contract/resources/stock-levels.ts';
import {
  type Company,
  type HandledOrder,
  REFERENCE,
  describeQuantity,
  isBelowReorderPoint,
  isWaiting,
  openOrder,
  pick,
} from './company.ts';
import type { Activity, BusinessEvent } from './events.ts';
import { completeOrder, describeLines, toEvent } from './sales.ts';

/** Stock is filled up to this multiple of the reorder point. */
const FILL_FACTOR = 2.5;
const MIN_COUNTED = 5;
/** More than a production needs is bought or made, for the next ones. */
const MISSING_FACTOR = 1.5;

const findLow = ({ levels, reportedLow }: Company) =>
  [...levels.values()].find((level) => isBelowReorderPoint(level) && !reportedLow.has(level.itemId));
const isOnOrder = ({ orders }: Company, itemId: string): boolean =>
  orders.some(({ module, itemIds }) => module !== 'sell' && itemIds.includes(itemId));
/** The first item to replenish. Its order is open until it arrives; an item that is made waits for its ingredients, so that none is oversold. */
const findNeed = (company: Company) =>
  [...company.needs.keys()].find(
    (itemId) =>
      !isOnOrder(company, itemId) && company.missingFor.get(itemId)?.some((id) => company.needs.has(id) || isOnOrder(company, id)) !== true,
  );

/** What supply can do now. */
export function listSupplyActivities(company: Company): readonly Activity[] {
  const low = findLow(company);
  const need = findNeed(company);
  const arriving = company.orders.filter((order) => !isWaiting(company, order));
  const bought = arriving.find(({ module }) => module === 'buy');
  const made = arriving.find(({ module }) => module === 'make');
  const countable = [...company.levels.values()].filter(({ onHand, isVirtual }) => isVirtual !== true && onHand >= MIN_COUNTED);
  const activities: Activity[] = [];
  if (low) activities.push([4, () => reportLow(company, low)]);
  if (need !== undefined) activities.push([5, () => replenish(company, need)]);
  if (bought) activities.push([2, () => finishSupply(company, bought)]);
  if (made) activities.push([2, () => finishSupply(company, made)]);
  if (countable.length > 0) activities.push([0.3, () => countStock(company, countable)]);
  return activities;
}

function reportLow(company: Company, { itemId, item, projected, reorderPoint }: StockLevel): Promise<BusinessEvent> {
  company.reportedLow.add(itemId);
  company.needs.set(itemId, (reorderPoint ?? 0) * FILL_FACTOR - (projected ?? 0));
  const text = `${describeQuantity(company, itemId, projected ?? 0)} left after open orders; the reorder point is ${String(reorderPoint)}`;
  return Promise.resolve({ kind: 'stock_low', id: itemId, number: item.sku ?? item.name, text });
}

/** Makes an item that has ingredients, and buys one that has a supplier. */
async function replenish(company: Company, itemId: string): Promise<BusinessEvent | undefined> {
  const quantity = roundUp(company.needs.get(itemId) ?? 0);
  const { data: ingredients } = await company.api.items.ingredients.list(itemId, { page_size: PAGE_SIZE_MAX });
  const missing = ingredients.flatMap((row) => {
    const required = ((quantity * row.quantity) / row.perQuantity) * (1 + row.wastePercent / 100);
    const available = company.levels.get(row.ingredientItemId)?.available ?? 0;
    return available < required ? [{ id: row.ingredientItemId, needed: (required - available) * MISSING_FACTOR }] : [];
  });
  if (missing.length > 0) {
    const ids = missing.map(({ id }) => id);
    company.missingFor.set(itemId, ids);
    for (const { id, needed } of missing) company.needs.set(id, Math.max(needed, company.needs.get(id) ?? 0));
    const next = ids.find((id) => !isOnOrder(company, id));
    return next === undefined ? undefined : replenish(company, next);
  }
  company.needs.delete(itemId);
  company.missingFor.delete(itemId);
  return ingredients.length > 0 ? planProduction(company, itemId, quantity) : purchase(company, itemId, quantity);
}

/** To two significant digits, as people order. */
function roundUp(quantity: number): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, quantity))) - 1);
  return Math.ceil(quantity / step) * step;
}

async function planProduction(company: Company, itemId: string, quantity: number): Promise<BusinessEvent> {
  const { data } = await openOrder(company, { module: 'make', lines: [{ itemId, quantity }] });
  return toEvent('production_ordered', data, `production of ${describeLines(company, data)} planned`);
}

async function purchase(company: Company, itemId: string, quantity: number): Promise<BusinessEvent | undefined> {
  const [link] = (await company.api.items.suppliers.list(itemId, { page_size: 1 })).data;
  // Nobody supplies it: a person has to decide.
  if (!link) return undefined;
  const { supplierId, unitsPerPurchaseUnit, minOrderQuantity } = link;
  const lines = [{ itemId, quantity: Math.max(minOrderQuantity ?? 1, Math.ceil(quantity / unitsPerPurchaseUnit)) }];
  const { data, order } = await openOrder(company, { module: 'buy', contactId: supplierId, lines });
  return toEvent('purchase_ordered', data, `${describeLines(company, data)} ordered from ${order.partner}`);
}

/** Completes a purchase or a production. */
const finishSupply = (company: Company, order: HandledOrder): Promise<BusinessEvent> =>
  completeOrder(company, order, (data) => {
    for (const itemId of order.itemIds) company.needs.delete(itemId);
    const lines = describeLines(company, data);
    return order.module === 'buy'
      ? toEvent('purchase_received', data, `${lines} arrived from ${order.partner}`)
      : toEvent('production_completed', data, `${lines} made`);
  });

async function countStock(company: Company, countable: readonly StockLevel[]): Promise<BusinessEvent | undefined> {
  const level = pick(company, countable);
  if (!level) return undefined;
  const { stockDocuments } = company.api;
  const { itemId, onHand } = level;
  const countedQuantity = onHand + (pick(company, [-1, 0, 0, 1]) ?? 0);
  const { data } = await stockDocuments.create({
    type: 'count',
    siteId: company.siteId,
    reference: REFERENCE,
    lines: [{ itemId, countedQuantity }],
  });
  await stockDocuments.submit(data.id);
  // Counted and approved at once, while sales go on.
  await stockDocuments.approve(data.id, { force: true });
  const text = `${describeQuantity(company, itemId, countedQuantity)} counted, ${describeVariance(level, countedQuantity)}`;
  return { kind: 'stock_counted', id: data.id, number: data.documentNumber, text };
}

function describeVariance({ onHand }: StockLevel, counted: number): string {
  if (counted === onHand) return 'as recorded';
  return `${String(Math.abs(Math.round(counted - onHand)))} ${counted > onHand ? 'more' : 'less'} than recorded`;
}
