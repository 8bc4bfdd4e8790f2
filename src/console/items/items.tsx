/** Items: the list, and the details of one. */
import { type Item, createItem, deleteItem, getItem, listItems, updateItem } from '../../contract/resources/items.ts';
import { listStockLevels } from '../../contract/resources/stock-levels.ts';
import { type Cell, ListView, Status } from '../ui/index.ts';
import { ItemTables } from './item-tables.tsx';

const FIELDS: readonly Cell<Item>[] = [
  { title: 'SKU', width: 'minmax(6rem, 8rem)', sort: 'sku', value: 'sku', render: ({ sku, name }) => sku ?? name },
  { title: 'Name', width: 'minmax(8rem, 3fr)', sort: 'name', value: 'name', isListOnly: true },
  { title: 'Type', width: '6rem', rank: 36, as: 'label', value: 'itemType' },
  { title: 'Category', width: 'minmax(6rem, 1fr)', rank: 52, value: ({ category }) => category?.name },
  { title: 'Supplier', width: 'minmax(7rem, 1.5fr)', rank: 62, as: 'contact', value: 'supplier' },
  { title: 'Sale price', width: '6rem', as: 'money', value: 'salePrice' },
  { title: 'Purchase price', width: '6.5rem', rank: 42, as: 'money', value: 'purchasePrice' },
  { title: 'Barcode', value: 'barcode' },
  { title: 'MPN', value: 'mpn' },
  { title: 'External id', value: 'externalId' },
  {
    title: 'Active',
    width: '4.5rem',
    rank: 70,
    value: 'isActive',
    render: ({ isActive }) => <Status value={isActive ? 'active' : 'inactive'} tone={isActive ? 'plain' : 'bad'} />,
  },
  { title: 'Notes', value: 'notes' },
  { title: 'Changed', as: 'time', value: 'updatedAt' },
];

export const Items = () => (
  <ListView<Item>
    title="Items"
    path="/items"
    op={listItems}
    filters={['item_type', 'is_active']}
    columns={FIELDS}
    empty="No items yet"
    create={{ title: 'New item', op: createItem }}
    details={{
      label: 'Item',
      op: getItem,
      getSamples: (id) => [{ op: listStockLevels, parts: { query: { item_id: id } } }],
      getTitle: ({ name }) => name,
      edit: { op: updateItem },
      remove: { op: deleteItem, note: 'An item that other records refer to cannot be deleted.' },
      children: (item) => <ItemTables item={item} />,
    }}
  />
);
