/** The table of orders that are not finished. */
import { formatAmount } from '../../cli/output/money.ts';
import type { OrderRow } from '../state/model.ts';
import { type Table, dimColumn, textField, timeFields } from './table.ts';

export const orders: Table<OrderRow> = {
  title: 'Orders',
  short: 'Order',
  isFollowable: false,
  columns: [
    { title: 'ORDER', width: 10, rank: 1, text: ({ orderNumber }) => orderNumber },
    {
      title: 'DUE',
      width: 12,
      rank: 1,
      order: ({ dueDate }) => dueDate,
      text: ({ dueDate, isLate }) => `${isLate ? 'x' : ' '} ${dueDate}`,
      tone: ({ isLate }) => (isLate ? 'bad' : 'plain'),
    },
    { title: 'STATUS', width: 11, rank: 1, text: ({ status }) => status, tone: ({ status }) => (status === 'draft' ? 'dim' : 'plain') },
    { title: 'CONTACT', width: 18, rank: 2, text: ({ contact }) => contact },
    { title: 'MODULE', width: 6, rank: 3, text: ({ module }) => module },
    {
      title: 'PRIORITY',
      width: 8,
      rank: 4,
      text: ({ priority }) => (priority === 'normal' ? '' : priority),
      tone: ({ priority }) => (priority === 'urgent' ? 'bad' : priority === 'high' ? 'warn' : 'dim'),
    },
    { title: 'DONE', width: 7, rank: 5, text: ({ fulfilment }) => (fulfilment === 'none' ? '' : (fulfilment ?? '?')) },
    {
      title: 'TOTAL',
      width: 12,
      rank: 6,
      right: true,
      order: ({ total }) => total,
      text: ({ total, currency: own }, { currency }) => (total === null || total === 0 ? '' : formatAmount(total, own ?? currency ?? '')),
    },
    { title: 'SITE', width: 8, rank: 7, text: ({ site }) => site ?? '' },
    dimColumn('ORDERED', { width: 10, rank: 8 }, ({ orderDate }) => orderDate),
    dimColumn('ID', { width: 36, rank: 9 }, ({ id }) => id),
  ],
  search: ({ orderNumber, module, status, contact, site, priority, id }) =>
    [orderNumber, module, status, contact, site ?? '', priority, id].join(' '),
  queryFields: () => ({
    order: textField(({ orderNumber }) => orderNumber),
    status: textField(({ status, isLate }) => [status, ...(isLate ? ['late'] : [])]),
    contact: textField(({ contact }) => contact),
    module: textField(({ module }) => module),
    priority: textField(({ priority }) => priority),
    site: textField(({ site }) => site),
    total: { kind: 'number', get: ({ total }) => total },
    ...timeFields(({ updatedAt }: OrderRow) => updatedAt),
  }),
  isProblem: ({ isLate }) => isLate,
  emptyText: 'No open order. Create one with `stockroom orders create`; :orders SO-000012 shows a finished one.',
};
