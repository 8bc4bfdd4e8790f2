/** What lists and details show of an order, and what is asked for in its forms. */
import { type Order, type OrderDetail, isOutstanding } from '../../contract/resources/orders.ts';
import { type Format, NONE } from '../api/index.ts';
import type { Cell } from '../ui/index.ts';

type AnyOrder = Order & Partial<Pick<OrderDetail, 'reference' | 'notes' | 'cancelReason'>>;

/** Their orders have money only if someone entered it. */
const WITHOUT_MONEY: readonly string[] = ['make', 'check'];

/** Whether the order was due before today in the time zone of the tenant. */
export const isLate = ({ status, dueDate }: Pick<Order, 'status' | 'dueDate'>, { today }: Format): boolean =>
  isOutstanding(status) && dueDate < today;

export const ORDER_FIELDS: readonly Cell<AnyOrder>[] = [
  { title: 'Order', width: '7rem', sort: 'order_number', value: 'orderNumber', isListOnly: true },
  { title: 'Contact', width: 'minmax(7rem, 2fr)', as: 'contact', value: 'contact' },
  { title: 'Module', width: '5rem', rank: 56, as: 'label', value: 'module' },
  { title: 'Status', width: '6.5rem', as: 'status', value: 'status', isListOnly: true },
  { title: 'Fulfilment', width: '6rem', rank: 62, as: 'status', value: 'fulfilment', except: 'none' },
  { title: 'Priority', width: '5.5rem', rank: 50, sort: 'priority', as: 'status', value: 'priority', except: 'normal' },
  { title: 'Due', width: '7rem', rank: 34, sort: 'due_date', as: 'day', value: 'dueDate', isBad: isLate },
  {
    title: 'Total',
    width: '7.5rem',
    rank: 42,
    isNumber: true,
    value: 'total',
    render: ({ module, total, currency }, { money }) => (total === 0 && WITHOUT_MONEY.includes(module) ? NONE : money(total, currency)),
    isListOnly: true,
  },
  { title: 'Ordered', as: 'day', value: 'orderDate' },
  { title: 'Site', value: ({ site }) => site?.name },
  { title: 'Reference', value: 'reference' },
  { title: 'Notes', value: 'notes' },
  { title: 'Cancelled because', value: 'cancelReason' },
  { title: 'Completed', as: 'time', value: 'completedAt' },
];

export const LINE_FIELDS = ['itemId', 'quantity', 'unitPrice', 'discountPercent', 'taxPercent'] as const;
/** Lines and status change elsewhere. */
export const NOT_EDITED = ['status', 'cancelReason', 'stock', 'lines'] as const;
