/** The table of items with their stock at each site. */
import type { ItemRow } from '../../state/model.ts';
import { formatQuantity } from '../format.ts';
import type { Table } from '../table-types.ts';

const isOversold = ({ available }: ItemRow): boolean => available < 0;
export const isShort = (row: ItemRow): boolean => row.isLow || isOversold(row);

export const items: Table<ItemRow> = {
  title: 'Items',
  short: 'Items',
  isFollowable: false,
  columns: [
    { title: 'SKU', width: 12, rank: 1, text: ({ sku, itemId }) => sku ?? itemId.slice(0, 8) },
    { title: 'ITEM', width: 18, rank: 4, text: ({ name }) => name },
    { title: 'SITE', width: 8, rank: 3, text: ({ site }) => site },
    {
      title: 'STATE',
      width: 10,
      rank: 1,
      order: ({ available }) => available,
      text: (row) => (isOversold(row) ? 'x oversold' : row.isLow ? '~ low' : '+ enough'),
      tone: (row) => (isOversold(row) ? 'bad' : row.isLow ? 'warn' : 'dim'),
    },
    {
      title: 'AVAILABLE',
      width: 9,
      rank: 2,
      right: true,
      order: ({ available }) => available,
      text: ({ available }) => formatQuantity(available),
    },
    { title: 'ON HAND', width: 9, rank: 5, right: true, order: ({ onHand }) => onHand, text: ({ onHand }) => formatQuantity(onHand) },
    {
      title: 'COMMITTED',
      width: 9,
      rank: 8,
      right: true,
      order: ({ committed }) => committed,
      text: ({ committed }) => formatQuantity(committed),
    },
    {
      title: 'INCOMING',
      width: 8,
      rank: 6,
      right: true,
      order: ({ incoming }) => incoming,
      text: ({ incoming }) => formatQuantity(incoming),
    },
    {
      title: 'REORDER AT',
      width: 10,
      rank: 7,
      right: true,
      order: ({ reorderPoint }) => reorderPoint,
      text: ({ reorderPoint }) => (reorderPoint === null ? '–' : formatQuantity(reorderPoint)),
    },
    { title: 'UNIT', width: 5, rank: 9, text: ({ unit }) => unit ?? '' },
    // The line below the list has the whole command, so a part of it is not worth a column.
    { title: 'COMMAND', width: 70, rank: 10, text: ({ command }) => command ?? '', tone: () => 'dim' },
  ],
  search: ({ sku, name, site, itemId }) => [sku ?? '', name, site, itemId].join(' '),
  queryFields: () => ({
    sku: { kind: 'text', get: ({ sku }) => sku },
    item: { kind: 'text', get: ({ name }) => name },
    site: { kind: 'text', get: ({ site }) => site },
    state: { kind: 'text', get: (row) => (isOversold(row) ? 'oversold' : row.isLow ? 'low' : 'enough') },
    available: { kind: 'number', get: ({ available }) => available },
  }),
  isProblem: isShort,
  emptyText: 'No item has stock. Receive some with `stockroom stock receive`; :items NAME shows any item.',
};
