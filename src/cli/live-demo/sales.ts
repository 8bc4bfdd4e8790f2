/** Sales of the live demo: orders arrive, are packed, shipped, and now and then cancelled. */
import { ApiError } from '../../client/errors.ts';
import type { Contact } from '../../contract/resources/contacts.ts';
import type { OrderDetail } from '../../contract/resources/orders.ts';
import type { StockLevel } from '../../contract/resources/stock-levels.ts';
import { formatAmount } from '../output/money.ts';
import { type Company, type HandledOrder, type Shortage, describeQuantity, isWaiting, openOrder, pick } from './company.ts';
import type { Activity, BusinessEvent } from './events.ts';

/** With fewer open orders, new ones arrive faster; with this many, none. */
const MAX_OPEN_SALES = 12;
const MIN_AVAILABLE = 3;
const QUANTITIES = [1, 2, 3, 4, 6, 8, 12, 18, 24] as const;
const MAX_LINES = 3;
/** As in the demo data. */
const VAT_PERCENT = 23;
/** A little more than what is missing is bought or made, for the next orders. */
const SHORTAGE_FACTOR = 1.5;
const CANCEL_REASONS = ['Customer ordered twice', 'Customer found another date', 'Customer changed the plan'] as const;

/** Products with a price that are stocked regularly and available. */
const listSellable = (company: Company) =>
  [...company.levels.values()].filter(({ itemId, item, reorderPoint, available }) => {
    const { salePrice, isActive } = company.items.get(itemId) ?? {};
    const isSold = item.itemType === 'product' && isActive === true && (salePrice ?? 0) > 0;
    return isSold && reorderPoint !== null && (available ?? 0) >= MIN_AVAILABLE;
  });

const listCustomers = ({ contacts }: Company) =>
  [...contacts.values()].filter(({ contactType, isActive }) => isActive && contactType !== 'supplier');

/** What sales can do now. */
export function listSalesActivities(company: Company): readonly Activity[] {
  const sales = company.orders.filter(({ module }) => module === 'sell');
  const unpacked = sales.find(({ isPacked }) => !isPacked);
  const shippable = sales.find((order) => order.isPacked && !isWaiting(company, order));
  const [customers, sellable] = [listCustomers(company), listSellable(company)];
  const activities: Activity[] = [];
  if (customers.length > 0 && sellable.length > 0 && sales.length < MAX_OPEN_SALES)
    activities.push([sales.length < MAX_OPEN_SALES / 2 ? 4 : 2, () => receiveOrder(company, customers, sellable)]);
  if (unpacked) activities.push([3, () => packOrder(company, unpacked)]);
  if (shippable) activities.push([3, () => shipOrder(company, shippable)]);
  if (unpacked && sales.length > 2) activities.push([0.3, () => cancelOrder(company, unpacked)]);
  return activities;
}

async function receiveOrder(company: Company, customers: readonly Contact[], sellable: readonly StockLevel[]) {
  const customer = pick(company, customers);
  if (!customer) return undefined;
  const lines = new Map<string, number>();
  for (let count = 1 + Math.floor(company.random() * MAX_LINES); count > 0; count -= 1) {
    const level = pick(company, sellable);
    // At most a third of what is available, so that several customers are served before it runs out.
    const affordable = QUANTITIES.filter((quantity) => quantity <= Math.max(1, (level?.available ?? 0) / 3));
    if (level) lines.set(level.itemId, pick(company, affordable) ?? 1);
  }
  const { data, order } = await openOrder(company, {
    module: 'sell',
    contactId: customer.id,
    lines: [...lines].map(([itemId, quantity]) => ({ itemId, quantity, taxPercent: VAT_PERCENT })),
  });
  return toEvent(
    'order_received',
    data,
    `${order.partner} orders for ${formatAmount(data.total, data.currency)}: ${describeLines(company, data)}`,
  );
}

async function packOrder(company: Company, order: HandledOrder): Promise<BusinessEvent> {
  const { data } = await company.api.orders.update(order.id, { status: 'in_progress' });
  order.isPacked = true;
  return toEvent('order_packed', data, `packed for ${order.partner}`);
}

const shipOrder = (company: Company, order: HandledOrder): Promise<BusinessEvent> =>
  completeOrder(company, order, (data) => toEvent('order_shipped', data, `shipped to ${order.partner}: ${describeLines(company, data)}`));

async function cancelOrder(company: Company, order: HandledOrder): Promise<BusinessEvent> {
  const cancelReason = pick(company, CANCEL_REASONS) ?? CANCEL_REASONS[0];
  const { data } = await company.api.orders.update(order.id, { status: 'cancelled', cancelReason });
  forgetOrder(company, order);
  return toEvent('order_cancelled', data, `${order.partner} cancels: ${cancelReason}`);
}

/** Completes an order. If stock is missing, the order waits, and what is missing will be bought or made. */
export async function completeOrder(
  company: Company,
  order: HandledOrder,
  onCompleted: (data: OrderDetail) => BusinessEvent,
): Promise<BusinessEvent> {
  try {
    const { data } = await company.api.orders.update(order.id, { status: 'completed' });
    forgetOrder(company, order);
    return onCompleted(data);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'INSUFFICIENT_STOCK') throw error;
    order.waitsFor = (error.details?.['shortages'] ?? []) as readonly Shortage[];
    for (const { itemId, missing } of order.waitsFor)
      company.needs.set(itemId, Math.max(missing * SHORTAGE_FACTOR, company.needs.get(itemId) ?? 0));
    const { data } = await company.api.orders.update(order.id, { status: 'waiting' });
    const missing = order.waitsFor.map((each) => describeQuantity(company, each.itemId, each.missing));
    return toEvent('order_waiting', data, `waits for ${missing.join(', ')}`);
  }
}

function forgetOrder(company: Company, { id }: HandledOrder): void {
  company.orders = company.orders.filter((order) => order.id !== id);
}

export const toEvent = (kind: BusinessEvent['kind'], { id, orderNumber }: OrderDetail, text: string): BusinessEvent => ({
  kind,
  id,
  number: orderNumber,
  text,
});

export const describeLines = (company: Company, { lines = [] }: OrderDetail): string =>
  lines
    .filter(({ kind }) => kind !== 'component')
    .map(({ itemId, itemName, stockQuantity }) => (itemId === null ? (itemName ?? '') : describeQuantity(company, itemId, stockQuantity)))
    .join(', ');
