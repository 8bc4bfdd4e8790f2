/** What belongs to an item: levels per site, on hand over time, suppliers, ingredients, open orders. */
import { useMemo } from 'react';
import { listIngredients } from '../../contract/resources/ingredients.ts';
import { type Item, listItems } from '../../contract/resources/items.ts';
import { ALL_MODULES, type Order, OUTSTANDING_STATUSES, listOrders } from '../../contract/resources/orders.ts';
import { type StockLevel, listStockLevels } from '../../contract/resources/stock-levels.ts';
import { listStockMovements } from '../../contract/resources/stock-movements.ts';
import { listSuppliers } from '../../contract/resources/suppliers.ts';
import { useAccess, useOperation } from '../api/index.ts';
import { type Cell, Chart, QuerySection, TableSection } from '../ui/index.ts';

const OPEN = { module: ALL_MODULES, status: OUTSTANDING_STATUSES.join(','), sort: 'due_date', page_size: 20 } as const;

const ORDERS: readonly Cell<Order>[] = [
  { title: 'Order', as: 'order', value: (row) => row },
  { title: 'Status', as: 'status', value: 'status' },
  { title: 'Contact', as: 'contact', value: 'contact' },
  { title: 'Due', as: 'day', value: 'dueDate' },
];

export function ItemTables({ item }: { readonly item: Item }) {
  const { can } = useAccess();
  const ofItem = { params: { item_id: item.id }, query: {} };
  return (
    <>
      {can(listStockLevels) && <Levels itemId={item.id} />}
      {item.itemType !== 'combo' && (
        <QuerySection
          title="Suppliers"
          op={listSuppliers}
          parts={ofItem}
          empty="No supplier is linked"
          columns={[
            { title: 'Supplier', as: 'contact', value: 'supplier', mark: ({ isPreferred }) => isPreferred && 'preferred' },
            { title: 'Price', as: 'money', value: 'purchasePrice' },
            { title: 'Pack', as: 'number', value: 'unitsPerPurchaseUnit' },
            { title: 'Days', as: 'number', value: 'leadTimeDays' },
          ]}
        />
      )}
      {item.itemType !== 'material' && (
        <QuerySection
          title="Ingredients"
          op={listIngredients}
          parts={ofItem}
          columns={[
            { title: 'Item', as: 'item', value: 'ingredient' },
            { title: 'Quantity', value: 'quantity', unit: ({ unit }) => unit },
            { title: 'Per', as: 'number', value: 'perQuantity' },
            { title: 'Waste', value: 'wastePercent', unit: () => ({ symbol: '%' }) },
          ]}
        />
      )}
      {item.itemType !== 'combo' && (
        <QuerySection
          title="Used in"
          op={listItems}
          parts={{ query: { ingredient_id: item.id } }}
          columns={[
            { title: 'Item', as: 'item', value: (row) => row },
            { title: 'SKU', value: 'sku' },
            { title: 'Type', as: 'label', value: 'itemType' },
          ]}
        />
      )}
      <QuerySection
        title="Open orders"
        op={listOrders}
        parts={{ query: { ...OPEN, item_id: item.id } }}
        empty="No open order has this item"
        columns={ORDERS}
      />
    </>
  );
}

function Levels({ itemId }: { readonly itemId: string }) {
  const { data } = useOperation(listStockLevels, { query: { item_id: itemId, include_zero: true } });
  const largest = data?.data.toSorted((a, b) => b.onHand - a.onHand)[0];
  return (
    <TableSection
      title="Stock"
      rows={data?.data}
      empty="No stock"
      columns={[
        { title: 'Site', value: ({ site }) => site.name, mark: ({ isLow }) => isLow && 'low' },
        { title: 'On hand', as: 'number', value: 'onHand' },
        { title: 'Committed', as: 'number', value: 'committed' },
        { title: 'Incoming', rank: 1, as: 'number', value: 'incoming' },
        { title: 'Available', as: 'number', value: 'available' },
        { title: 'Reorder at', as: 'number', value: 'reorderPoint' },
      ]}
    >
      {largest && largest.isVirtual !== true && <OnHandChart level={largest} />}
    </TableSection>
  );
}

/** On hand over time at one site, from the ledger. */
function OnHandChart({ level: { itemId, siteId, site } }: { readonly level: StockLevel }) {
  const { data } = useOperation(listStockMovements, { query: { item_id: itemId, site_id: siteId, page_size: 200 } });
  const [times, values] = useMemo(() => {
    const entries = data?.data.filter(({ quantity }) => quantity !== 0).toReversed() ?? [];
    return [entries.map(({ postedAt }) => Date.parse(postedAt) / 1_000), entries.map(({ onHandAfter }) => onHandAfter)];
  }, [data]);
  if (times.length < 2) return null;
  return (
    <>
      <p className="mt-3 text-xs text-soft">On hand, {site.name}</p>
      <Chart label={`On hand at ${site.name}`} times={times} values={values} kind="steps" />
    </>
  );
}
