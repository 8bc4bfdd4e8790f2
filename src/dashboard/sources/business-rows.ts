/** Rows of the tabs Items and Orders: what is short or late first, then the rest, as far as it fits a page. */
import { PAGE_SIZE_MAX } from '../../contract/limits.ts';
import { ORDER_MODULES, type Order, OUTSTANDING_STATUSES } from '../../contract/resources/orders.ts';
import type { StockLevel } from '../../contract/resources/stock-levels.ts';
import type { ItemRow, OrderRow } from '../state/model.ts';

export const SHORT_LEVELS = { low_stock: true, sort: 'available', page_size: PAGE_SIZE_MAX } as const;
export const OTHER_LEVELS = { low_stock: false, sort: '-updated_at', page_size: PAGE_SIZE_MAX } as const;

const openOrders = { module: 'all', sort: 'due_date', include: ['totals'], page_size: PAGE_SIZE_MAX } as const;
export const LATE_ORDERS = { ...openOrders, overdue: true } as const;
export const OTHER_ORDERS = { ...openOrders, overdue: false, status: ['draft', ...OUTSTANDING_STATUSES] } as const;

/** What a service has that knows the given contract only: its orders by module, the newest first, without totals. */
export const PLAIN_ORDERS = ORDER_MODULES.map((module) => ({ module, page_size: PAGE_SIZE_MAX }));
export const PLAIN_LEVELS = { page_size: PAGE_SIZE_MAX } as const;

/** The open ones among these orders, the first due first, and which of them are late. */
export function toPlainOrderRows(orders: readonly Order[], today: string): readonly OrderRow[] {
  const isOutstanding = ({ status }: Order): boolean => OUTSTANDING_STATUSES.some((each) => each === status);
  return orders
    .filter((order) => isOutstanding(order) || order.status === 'draft')
    .toSorted((a, b) => (a.dueDate < b.dueDate ? -1 : 1))
    .map((order) => toOrderRow(order, isOutstanding(order) && order.dueDate < today))
    .toSorted((a, b) => Number(b.isLate) - Number(a.isLate));
}

export function toItemRow(level: StockLevel, command: string | null): ItemRow {
  const { itemId, siteId, item, site, unit, onHand, committed, incoming, available, reorderPoint, isLow } = level;
  return {
    id: `${itemId} ${siteId}`,
    itemId,
    sku: item.sku,
    name: item.name,
    site: site.name,
    unit: unit?.symbol ?? null,
    onHand,
    committed: committed ?? 0,
    incoming: incoming ?? 0,
    available: available ?? 0,
    reorderPoint,
    isLow: isLow === true,
    command,
  };
}

export const toOrderRows = (late: readonly Order[], others: readonly Order[]): readonly OrderRow[] => [
  ...late.map((order) => toOrderRow(order, true)),
  ...others.map((order) => toOrderRow(order, false)),
];

export const toOrderRow = (order: Order, isLate: boolean): OrderRow => ({
  id: order.id,
  orderNumber: order.orderNumber,
  module: order.module,
  status: order.status,
  contact: order.contact.company || order.contact.name,
  site: order.site?.name ?? null,
  priority: order.priority,
  orderDate: order.orderDate,
  dueDate: order.dueDate,
  isLate,
  fulfilment: order.fulfilment ?? null,
  total: order.total ?? null,
  currency: order.currency ?? null,
  updatedAt: order.updatedAt,
});
