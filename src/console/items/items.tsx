/** Items: the list, and the details of one. */
import { type Item, createItem, listItems } from '../../contract/resources/items.ts';
import type { Column } from '../ui/data-table.tsx';
import { Status } from '../ui/elements.tsx';
import { RecordListView } from '../ui/record-list-view.tsx';
import { useSubPath } from '../ui/selection.ts';
import { ITEM_FIELDS } from './fields.ts';
import { ItemDetails } from './item-details.tsx';

const COLUMNS: readonly Column<Item>[] = [
  { title: 'SKU', width: 'minmax(6rem, 9rem)', sort: 'sku', value: ({ sku }) => sku, render: ({ sku, name }) => sku ?? name },
  { title: 'Name', width: 'minmax(8rem, 3fr)', sort: 'name', value: ({ name }) => name },
  { title: 'Type', width: '6rem', rank: 36, as: 'label', value: ({ itemType }) => itemType },
  { title: 'Category', width: 'minmax(6rem, 1fr)', rank: 52, value: ({ category }) => category?.name },
  { title: 'Supplier', width: 'minmax(7rem, 1.5fr)', rank: 62, value: ({ supplier }) => supplier && (supplier.company || supplier.name) },
  { title: 'Sale price', width: '7rem', as: 'money', value: ({ salePrice }) => salePrice },
  { title: 'Purchase price', width: '7rem', rank: 42, as: 'money', value: ({ purchasePrice }) => purchasePrice },
  {
    title: 'Active',
    width: '5rem',
    rank: 70,
    value: ({ isActive }) => isActive,
    render: ({ isActive }) => <Status value={isActive ? 'active' : 'inactive'} tone={isActive ? 'plain' : 'bad'} />,
  },
];

export default function Items() {
  const [id] = useSubPath();
  return (
    <RecordListView<Item>
      title="Items"
      path="/items"
      id={id}
      op={listItems}
      filterNames={['item_type', 'is_active']}
      columns={COLUMNS}
      empty="No items yet"
      create={{ title: 'New item', op: createItem, fields: ITEM_FIELDS }}
      details={(open, onClose) => <ItemDetails id={open} onClose={onClose} />}
    />
  );
}
