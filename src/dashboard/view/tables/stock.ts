/** The table of items to reorder. */
import type { StockRow } from '../../state/model.ts';
import { formatQuantity } from '../format.ts';
import type { Table } from '../table-types.ts';

const isOversold = ({ available }: StockRow): boolean => available < 0;

export const stock: Table<StockRow> = {
  title: 'Stock',
  isFollowable: false,
  columns: [
    { title: 'SKU', width: 12, rank: 1, text: ({ sku, itemId }) => sku ?? itemId.slice(0, 8) },
    { title: 'ITEM', width: 12, rank: 5, text: ({ name }) => name },
    { title: 'SITE', width: 8, rank: 6, text: ({ site }) => site },
    {
      title: 'STATE',
      width: 10,
      rank: 1,
      order: ({ available }) => available,
      text: (row) => (isOversold(row) ? 'x oversold' : '~ low'),
      tone: (row) => (isOversold(row) ? 'bad' : 'warn'),
    },
    { title: 'ON HAND', width: 7, rank: 2, right: true, order: ({ onHand }) => onHand, text: ({ onHand }) => formatQuantity(onHand) },
    {
      title: 'COMMITTED',
      width: 9,
      rank: 3,
      right: true,
      order: ({ committed }) => committed,
      text: ({ committed }) => formatQuantity(committed),
    },
    {
      title: 'INCOMING',
      width: 8,
      rank: 3,
      right: true,
      order: ({ incoming }) => incoming,
      text: ({ incoming }) => formatQuantity(incoming),
    },
    {
      title: 'REORDER AT',
      width: 10,
      rank: 4,
      right: true,
      order: ({ reorderPoint }) => reorderPoint,
      text: ({ reorderPoint }) => (reorderPoint === null ? '–' : formatQuantity(reorderPoint)),
    },
    { title: 'UNIT', width: 5, rank: 6, text: ({ unit }) => unit ?? '' },
    // The line below the list has the whole command, so a part of it is not worth a column.
    { title: 'COMMAND', width: 70, rank: 7, text: ({ command }) => command ?? '', tone: () => 'dim' },
  ],
  search: ({ sku, name, site, itemId }) => [sku ?? '', name, site, itemId].join(' '),
  queryFields: () => ({
    sku: { kind: 'text', get: ({ sku }) => sku },
    item: { kind: 'text', get: ({ name }) => name },
    site: { kind: 'text', get: ({ site }) => site },
    available: { kind: 'number', get: ({ available }) => available },
  }),
  emptyText: 'No item is low or oversold. Set reorder points with `stockroom stock levels set`.',
};
