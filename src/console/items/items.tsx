/** Items: the list, and the details of one. */
import { useLocation } from 'wouter';
import { type Item, createItem, listItems } from '../../contract/resources/items.ts';
import { toLabel } from '../api/format.ts';
import type { Column } from '../ui/data-table.tsx';
import { Button, Status } from '../ui/elements.tsx';
import { useUrlFilters } from '../ui/filters.tsx';
import { ListView } from '../ui/list-view.tsx';
import { RecordForm } from '../ui/record-form.tsx';
import { useFlag, useSubPath, useWithFilters } from '../ui/selection.ts';
import { ITEM_FIELDS } from './fields.ts';
import { ItemDetails } from './item-details.tsx';

const COLUMNS: readonly Column<Item>[] = [
  { title: 'SKU', width: 'minmax(6rem, 9rem)', sort: 'sku', value: ({ sku }) => sku, render: ({ sku, name }) => sku ?? name },
  { title: 'Name', width: 'minmax(8rem, 3fr)', sort: 'name', value: ({ name }) => name },
  { title: 'Type', width: '6rem', rank: 36, value: ({ itemType }) => itemType, render: ({ itemType }) => toLabel(itemType) },
  { title: 'Category', width: 'minmax(6rem, 1fr)', rank: 52, value: ({ category }) => category?.name },
  { title: 'Supplier', width: 'minmax(7rem, 1.5fr)', rank: 62, value: ({ supplier }) => supplier && (supplier.company || supplier.name) },
  {
    title: 'Sale price',
    width: '7rem',
    isNumber: true,
    value: ({ salePrice }) => salePrice,
    render: ({ salePrice }, { money }) => money(salePrice),
  },
  {
    title: 'Purchase price',
    width: '7rem',
    rank: 42,
    isNumber: true,
    value: ({ purchasePrice }) => purchasePrice,
    render: ({ purchasePrice }, { money }) => money(purchasePrice),
  },
  {
    title: 'Active',
    width: '5rem',
    rank: 70,
    value: ({ isActive }) => isActive,
    render: ({ isActive }) => <Status value={isActive ? 'active' : 'inactive'} tone={isActive ? 'plain' : 'bad'} />,
  },
];

export default function Items() {
  const filters = useUrlFilters(listItems);
  const [id] = useSubPath();
  const [isNew, setNew] = useFlag('new');
  const [, navigate] = useLocation();
  const withFilters = useWithFilters();
  return (
    <ListView<Item>
      title="Items"
      op={listItems}
      filters={filters}
      filterNames={['item_type', 'is_active']}
      columns={COLUMNS}
      getId={(row) => row.id}
      getHref={(row) => withFilters(`/items/${row.id}`)}
      selectedId={id}
      empty="No items yet"
      actions={
        <Button kind="main" icon="plus" onClick={() => setNew(true)}>
          New item
        </Button>
      }
    >
      {id !== undefined && <ItemDetails id={id} onClose={() => navigate(withFilters('/items'))} />}
      {isNew && <RecordForm title="New item" op={createItem} fields={ITEM_FIELDS} onClose={() => setNew(false)} />}
    </ListView>
  );
}
