/** The table of items with their stock at each site. */
import type { ItemRow } from '../state/model.ts';
import { type Table, dimColumn, numberColumn, textField } from './table.ts';

const isOversold = ({ available }: ItemRow): boolean => available < 0;
export const isShort = (row: ItemRow): boolean => row.isLow || isOversold(row);

export const items: Table<ItemRow> = {
  title: 'Items',
  short: 'Item',
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
    numberColumn('AVAILABLE', { width: 9, rank: 2 }, ({ available }) => available),
    numberColumn('ON HAND', { width: 9, rank: 5 }, ({ onHand }) => onHand),
    numberColumn('COMMITTED', { width: 9, rank: 8 }, ({ committed }) => committed),
    numberColumn('INCOMING', { width: 8, rank: 6 }, ({ incoming }) => incoming),
    numberColumn('REORDER AT', { width: 10, rank: 7 }, ({ reorderPoint }) => reorderPoint),
    { title: 'UNIT', width: 5, rank: 9, text: ({ unit }) => unit ?? '' },
    // The line below the list has the whole command, so a part of it is not worth a column.
    dimColumn('COMMAND', { width: 70, rank: 10 }, ({ command }) => command ?? ''),
  ],
  search: ({ sku, name, site, itemId }) => [sku ?? '', name, site, itemId].join(' '),
  queryFields: () => ({
    sku: textField(({ sku }) => sku),
    item: textField(({ name }) => name),
    site: textField(({ site }) => site),
    state: textField((row) => (isOversold(row) ? 'oversold' : row.isLow ? 'low' : 'enough')),
    available: { kind: 'number', get: ({ available }) => available },
  }),
  isProblem: isShort,
  emptyText: 'No item has stock. Receive some with `stockroom stock receive`; :items NAME shows any item.',
};
