/** The ledger: every movement with the balance after it. A row leads to its document. */
import type { ReactNode } from 'react';
import { type StockMovement, listStockMovements } from '../../contract/resources/stock-movements.ts';
import type { Column } from '../ui/data-table.tsx';
import { useUrlFilters } from '../ui/filters.tsx';
import { ListView } from '../ui/list-view.tsx';

const COLUMNS: readonly Column<StockMovement>[] = [
  { title: 'Item', width: 'minmax(6rem, 2fr)', value: ({ item }) => item.name },
  { title: 'Type', width: '6rem', rank: 28, as: 'label', value: ({ type }) => type },
  { title: 'Document', width: '7rem', rank: 40, value: ({ document }) => document.documentNumber },
  { title: 'Order', width: '7rem', rank: 56, value: ({ order }) => order?.orderNumber },
  { title: 'Site', width: 'minmax(6rem, 1fr)', rank: 48, value: ({ site }) => site.name },
  {
    title: 'Change',
    width: '6.5rem',
    isNumber: true,
    value: ({ quantity }) => quantity,
    render: ({ quantity, unit }, { number }) => `${quantity > 0 ? '+' : ''}${number(quantity)} ${unit?.symbol ?? ''}`,
  },
  { title: 'On hand', width: '5.5rem', as: 'number', value: (row) => row.onHandAfter },
  { title: 'Value', width: '6.5rem', rank: 64, as: 'amount', value: ({ value }) => value },
  { title: 'Posted', width: '9.5rem', rank: 34, as: 'clock', value: (row) => row.postedAt },
];

export const Movements = ({ tabs }: { readonly tabs: ReactNode }) => (
  <ListView<StockMovement>
    title="Stock movements"
    op={listStockMovements}
    filters={useUrlFilters(listStockMovements)}
    filterNames={['type']}
    columns={COLUMNS}
    getId={({ id }) => id}
    getHref={({ documentId }) => `/stock/documents/${documentId}`}
    tabs={tabs}
    empty="Nothing was posted yet"
  />
);
