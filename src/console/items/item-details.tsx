/** One item: levels per site, on hand over time, suppliers, ingredients, open orders. */
import { Link } from 'wouter';
import { type Item, deleteItem, getItem, listItems, updateItem } from '../../contract/resources/items.ts';
import { listIngredients } from '../../contract/resources/ingredients.ts';
import { OUTSTANDING_STATUSES, listOrders } from '../../contract/resources/orders.ts';
import { listStockLevels } from '../../contract/resources/stock-levels.ts';
import { listSuppliers } from '../../contract/resources/suppliers.ts';
import { toLabel, useFormat } from '../api/format.ts';
import { useOperation } from '../api/queries.ts';
import { Facts, Status } from '../ui/elements.tsx';
import { RecordPanel } from '../ui/record-panel.tsx';
import { ITEM_FIELDS } from './fields.ts';
import { OnHandChart } from './on-hand-chart.tsx';
import { TableSection } from '../ui/mini-table.tsx';

interface DetailsProps {
  readonly id: string;
  readonly onClose: () => void;
}

export function ItemDetails({ id, onClose }: DetailsProps) {
  const parts = { params: { item_id: id } };
  return (
    <RecordPanel
      label="Item"
      read={useOperation(getItem, parts)}
      samples={[
        { op: getItem, parts },
        { op: listStockLevels, parts: { query: { item_id: id } } },
      ]}
      getTitle={({ name }) => name}
      edit={{ op: updateItem, fields: ITEM_FIELDS }}
      remove={{ op: deleteItem, note: 'An item that other records refer to cannot be deleted.' }}
      onClose={onClose}
    >
      {(item) => <ItemBody item={item} />}
    </RecordPanel>
  );
}

function ItemBody({ item }: { readonly item: Item }) {
  const { money, time } = useFormat();
  return (
    <>
      <Facts
        facts={[
          ['SKU', item.sku],
          ['Type', toLabel(item.itemType)],
          ['Category', item.category?.name],
          ['Supplier', item.supplier && <Link href={`/contacts/${item.supplier.id}`}>{item.supplier.company || item.supplier.name}</Link>],
          ['Sale price', money(item.salePrice)],
          ['Purchase price', money(item.purchasePrice)],
          ['Barcode', item.barcode],
          ['MPN', item.mpn],
          ['External id', item.externalId],
          ['State', item.isActive ? undefined : <Status value="inactive" />],
          ['Notes', item.notes],
          ['Changed', time(item.updatedAt)],
        ]}
      />
      <Levels itemId={item.id} />
      {item.itemType !== 'combo' && <Suppliers itemId={item.id} />}
      {item.itemType !== 'material' && <Ingredients itemId={item.id} />}
      {item.itemType !== 'combo' && <WhereUsed itemId={item.id} />}
      <OpenOrders itemId={item.id} />
    </>
  );
}

function Levels({ itemId }: { readonly itemId: string }) {
  const { data } = useOperation(listStockLevels, { query: { item_id: itemId, include_zero: true } });
  const levels = data?.data ?? [];
  const largest = levels.toSorted((a, b) => b.onHand - a.onHand)[0];
  return (
    <TableSection
      title="Stock"
      rows={levels}
      empty="No stock"
      columns={[
        {
          title: 'Site',
          render: ({ site, isLow }) =>
            isLow ? (
              <>
                {' '}
                {site.name} <Status value="low" />{' '}
              </>
            ) : (
              site.name
            ),
        },
        { title: 'On hand', as: 'number', value: ({ onHand }) => onHand },
        { title: 'Committed', as: 'number', value: ({ committed }) => committed },
        { title: 'Incoming', as: 'number', value: ({ incoming }) => incoming },
        { title: 'Available', as: 'number', value: ({ available }) => available },
        { title: 'Reorder at', as: 'number', value: ({ reorderPoint }) => reorderPoint },
      ]}
    >
      {largest && largest.isVirtual !== true && <OnHandChart itemId={itemId} siteId={largest.siteId} siteName={largest.site.name} />}
    </TableSection>
  );
}

function Suppliers({ itemId }: { readonly itemId: string }) {
  const { data } = useOperation(listSuppliers, { params: { item_id: itemId }, query: {} });
  return (
    <TableSection
      title="Suppliers"
      rows={data?.data}
      empty="No supplier is linked"
      columns={[
        {
          title: 'Supplier',
          render: ({ supplier, isPreferred }) => (
            <>
              <Link href={`/contacts/${supplier.id}`}>{supplier.company || supplier.name}</Link>{' '}
              {isPreferred && <Status value="preferred" />}
            </>
          ),
        },
        { title: 'Price', as: 'money', value: ({ purchasePrice }) => purchasePrice },
        { title: 'Pack', as: 'number', value: ({ unitsPerPurchaseUnit }) => unitsPerPurchaseUnit },
        { title: 'Days', as: 'number', value: ({ leadTimeDays }) => leadTimeDays },
      ]}
    />
  );
}

function Ingredients({ itemId }: { readonly itemId: string }) {
  const { number } = useFormat();
  const { data } = useOperation(listIngredients, { params: { item_id: itemId }, query: {} });
  return (
    <TableSection
      title="Ingredients"
      rows={data?.data}
      columns={[
        { title: 'Item', render: ({ ingredient }) => <Link href={`/items/${ingredient.id}`}>{ingredient.name}</Link> },
        {
          title: 'Quantity',
          isNumber: true,
          render: ({ quantity, perQuantity, unit }) =>
            `${number(quantity)} ${unit?.symbol ?? ''}${perQuantity === 1 ? '' : ` per ${number(perQuantity)}`}`,
        },
        { title: 'Waste', isNumber: true, render: ({ wastePercent }) => `${number(wastePercent)} %` },
      ]}
    />
  );
}

function WhereUsed({ itemId }: { readonly itemId: string }) {
  const { data } = useOperation(listItems, { query: { ingredient_id: itemId } });
  return (
    <TableSection
      title="Used in"
      rows={data?.data}
      columns={[
        { title: 'Item', render: ({ id, name }) => <Link href={`/items/${id}`}>{name}</Link> },
        { title: 'SKU', render: ({ sku }) => sku },
        { title: 'Type', as: 'label', value: ({ itemType }) => itemType },
      ]}
    />
  );
}

function OpenOrders({ itemId }: { readonly itemId: string }) {
  const { data } = useOperation(listOrders, {
    query: { module: 'all', status: OUTSTANDING_STATUSES.join(','), item_id: itemId, sort: 'due_date', page_size: 20 },
  });
  return (
    <TableSection
      title="Open orders"
      rows={data?.data}
      empty="No open order has this item"
      columns={[
        { title: 'Order', render: ({ id, orderNumber }) => <Link href={`/orders/${id}`}>{orderNumber}</Link> },
        { title: 'Status', as: 'status', value: ({ status }) => status },
        { title: 'Contact', render: ({ contact }) => contact.name },
        { title: 'Due', as: 'day', value: ({ dueDate }) => dueDate },
      ]}
    />
  );
}
