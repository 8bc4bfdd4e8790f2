/** Levels, one row per item and site. A row leads to its item. */
import type { ReactNode } from 'react';
import { type StockLevel, listStockLevels } from '../../contract/resources/stock-levels.ts';
import type { Column } from '../ui/data-table.tsx';
import { Status } from '../ui/elements.tsx';
import { useUrlFilters } from '../ui/filters.tsx';
import { ListView } from '../ui/list-view.tsx';

const COLUMNS: readonly Column<StockLevel>[] = [
  { title: 'SKU', width: 'minmax(5.5rem, 8rem)', sort: 'sku', value: ({ item }) => item.sku, render: ({ item }) => item.sku ?? item.name },
  { title: 'Item', width: 'minmax(7rem, 3fr)', sort: 'name', rank: 30, value: ({ item }) => item.name },
  { title: 'Site', width: 'minmax(6rem, 1fr)', value: ({ site }) => site.name },
  {
    title: 'On hand',
    width: '6.5rem',
    isNumber: true,
    sort: 'on_hand',
    value: ({ onHand }) => onHand,
    render: ({ onHand, unit }, { number }) => `${number(onHand)} ${unit?.symbol ?? ''}`,
  },
  { title: 'Committed', width: '5.5rem', rank: 48, as: 'number', value: ({ committed }) => committed },
  { title: 'Incoming', width: '5.5rem', rank: 54, as: 'number', value: ({ incoming }) => incoming },
  {
    title: 'Available',
    width: '5.5rem',
    rank: 40,
    isNumber: true,
    sort: 'available',
    value: ({ available }) => available,
    render: ({ available }, { number }) => <span className={(available ?? 0) < 0 ? 'bad-text' : undefined}>{number(available)}</span>,
  },
  { title: 'Reorder at', width: '5.5rem', rank: 62, as: 'number', value: ({ reorderPoint }) => reorderPoint },
  { title: 'Value', width: '7.5rem', rank: 68, sort: 'stock_value', as: 'amount', value: ({ stockValue }) => stockValue },
  {
    title: 'State',
    width: '3.5rem',
    rank: 36,
    value: ({ isLow }) => (isLow ? 'low' : ''),
    render: ({ isLow }) => (isLow ? <Status value="low" /> : ''),
  },
];

export function Levels({ tabs }: { readonly tabs: ReactNode }) {
  return (
    <ListView<StockLevel>
      title="Stock levels"
      op={listStockLevels}
      filters={useUrlFilters(listStockLevels)}
      filterNames={['low_stock', 'below_zero', 'item_type', 'include_zero']}
      columns={COLUMNS}
      getId={({ itemId, siteId }) => `${itemId}:${siteId}`}
      getHref={({ itemId }) => `/items/${itemId}`}
      tabs={tabs}
      empty="No stock yet"
    />
  );
}
