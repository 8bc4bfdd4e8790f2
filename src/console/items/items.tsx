/** Items: the list, and the details of one. */
import { type Item, createItem, deleteItem, getItem, listItems, updateItem } from '../../contract/resources/items.ts';
import { listStockLevels } from '../../contract/resources/stock-levels.ts';
import { type Cell, Facts, ListView, NewButton, RecordPanel, Status } from '../ui/index.ts';
import { ItemTables } from './item-tables.tsx';

const FIELDS: readonly Cell<Item>[] = [
  { title: 'SKU', width: 'minmax(6rem, 8rem)', sort: 'sku', value: ({ sku }) => sku, render: ({ sku, name }) => sku ?? name },
  { title: 'Name', width: 'minmax(8rem, 3fr)', sort: 'name', value: ({ name }) => name, isListOnly: true },
  { title: 'Type', width: '6rem', rank: 36, as: 'label', value: ({ itemType }) => itemType },
  { title: 'Category', width: 'minmax(6rem, 1fr)', rank: 52, value: ({ category }) => category?.name },
  {
    title: 'Supplier',
    width: 'minmax(7rem, 1.5fr)',
    rank: 62,
    value: ({ supplier }) => supplier && (supplier.company || supplier.name),
    href: ({ supplier }) => supplier && `/contacts/${supplier.id}`,
  },
  { title: 'Sale price', width: '6rem', as: 'money', value: ({ salePrice }) => salePrice },
  { title: 'Purchase price', width: '6.5rem', rank: 42, as: 'money', value: ({ purchasePrice }) => purchasePrice },
  { title: 'Barcode', value: ({ barcode }) => barcode },
  { title: 'MPN', value: ({ mpn }) => mpn },
  { title: 'External id', value: ({ externalId }) => externalId },
  {
    title: 'Active',
    width: '4.5rem',
    rank: 70,
    value: ({ isActive }) => isActive,
    render: ({ isActive }) => <Status value={isActive ? 'active' : 'inactive'} tone={isActive ? 'plain' : 'bad'} />,
  },
  { title: 'Notes', value: ({ notes }) => notes },
  { title: 'Changed', as: 'time', value: ({ updatedAt }) => updatedAt },
];

const DETAILS = (
  <RecordPanel<Item>
    label="Item"
    path="/items"
    op={getItem}
    getSamples={(id) => [{ op: listStockLevels, parts: { query: { item_id: id } } }]}
    getTitle={({ name }) => name}
    edit={{ op: updateItem }}
    remove={{ op: deleteItem, note: 'An item that other records refer to cannot be deleted.' }}
  >
    {(item) => (
      <>
        <Facts of={item} cells={FIELDS} />
        <ItemTables item={item} />
      </>
    )}
  </RecordPanel>
);

export default function Items() {
  return (
    <ListView<Item>
      title="Items"
      path="/items"
      op={listItems}
      filters={['item_type', 'is_active']}
      columns={FIELDS}
      empty="No items yet"
      actions={<NewButton title="New item" op={createItem} />}
      aside={DETAILS}
    />
  );
}
