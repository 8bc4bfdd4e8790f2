/** Levels, one row per item and site, which leads to its item, and the ledger, whose rows lead to their documents. */
import { type StockLevel, listStockLevels } from '../../contract/resources/stock-levels.ts';
import { type StockMovement, listStockMovements } from '../../contract/resources/stock-movements.ts';
import { type Cell, ListView } from '../ui/index.ts';
import { StockValue } from './stock-value.tsx';

export const LEVELS: readonly Cell<StockLevel>[] = [
  {
    title: 'SKU',
    width: 'minmax(5.5rem, 8rem)',
    sort: 'sku',
    value: ({ item }) => item.sku,
    render: ({ item }) => item.sku ?? item.name,
  },
  { title: 'Item', width: 'minmax(7rem, 3fr)', sort: 'name', rank: 30, value: ({ item }) => item.name },
  { title: 'Site', width: 'minmax(6rem, 1fr)', value: ({ site }) => site.name },
  { title: 'On hand', width: '6.5rem', sort: 'on_hand', value: 'onHand', unit: ({ unit }) => unit },
  { title: 'Committed', width: '5.5rem', rank: 48, as: 'number', value: 'committed' },
  { title: 'Incoming', width: '5.5rem', rank: 54, as: 'number', value: 'incoming' },
  {
    title: 'Available',
    width: '5.5rem',
    rank: 40,
    as: 'number',
    sort: 'available',
    value: 'available',
    isBad: ({ available }) => (available ?? 0) < 0,
  },
  { title: 'Reorder at', width: '5.5rem', rank: 62, as: 'number', value: 'reorderPoint' },
  { title: 'Value', width: '7.5rem', rank: 68, sort: 'stock_value', as: 'amount', value: 'stockValue' },
  { title: 'State', width: '3.5rem', rank: 36, as: 'status', value: ({ isLow }) => (isLow ? 'low' : '') },
];

export const Levels = () => (
  <ListView<StockLevel>
    title="Stock levels"
    path="/items"
    op={listStockLevels}
    toolbar={<StockValue />}
    filters={['low_stock', 'below_zero', 'item_type', 'include_zero']}
    columns={LEVELS}
    getId={({ itemId, siteId }) => `${itemId}:${siteId}`}
    getHref={({ itemId }) => `/items/${itemId}`}
    empty="No stock yet"
  />
);

const MOVEMENTS: readonly Cell<StockMovement>[] = [
  { title: 'Item', width: 'minmax(6rem, 2fr)', as: 'item', value: 'item' },
  { title: 'Type', width: '6rem', rank: 28, as: 'label', value: 'type' },
  { title: 'Document', width: '7rem', rank: 40, as: 'stock_document', value: 'document' },
  { title: 'Order', width: '7rem', rank: 56, as: 'order', value: 'order' },
  { title: 'Site', width: 'minmax(6rem, 1fr)', rank: 48, value: ({ site }) => site.name },
  { title: 'Change', width: '6.5rem', as: 'change', value: 'quantity', unit: ({ unit }) => unit },
  { title: 'On hand', width: '5.5rem', as: 'number', value: 'onHandAfter' },
  { title: 'Value', width: '6.5rem', rank: 64, as: 'amount', value: 'value' },
  { title: 'Posted', width: '9.5rem', rank: 34, as: 'clock', value: 'postedAt' },
];

export const Movements = () => (
  <ListView<StockMovement>
    title="Stock movements"
    path="/stock/documents"
    op={listStockMovements}
    filters={['type']}
    columns={MOVEMENTS}
    getHref={({ documentId }) => `/stock/documents/${documentId}`}
    empty="Nothing was posted yet"
  />
);
