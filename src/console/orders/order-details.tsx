/** One order: its lines, stock documents and changes of status. */
import {
  ORDER_TRANSITIONS,
  type OrderDetail,
  type OrderStatus,
  getOrder,
  isOutstanding,
  updateOrder,
} from '../../contract/resources/orders.ts';
import { createStockDocument, listStockDocuments } from '../../contract/resources/stock-documents.ts';
import { useFormat } from '../api/index.ts';
import { DialogButton, QuerySection, RecordPanel, Status, TableSection } from '../ui/index.ts';
import { NOT_EDITED, ORDER_FIELDS } from './fields.tsx';
import { PartialPosting } from './partial-posting.tsx';
import { StatusChange, VERBS } from './status-change.tsx';

export const DETAILS = (
  <RecordPanel<OrderDetail>
    label="Order"
    path="/orders"
    op={getOrder}
    query={{ include: 'lines' }}
    getTitle={({ orderNumber, status }) => [orderNumber, ' ', <Status key={status} value={status} />]}
    edit={{ op: updateOrder, omit: NOT_EDITED, canEdit: ({ status }) => ORDER_TRANSITIONS[status].length > 0 }}
    actions={(order) => <OrderActions order={order} />}
    cells={ORDER_FIELDS}
  >
    {(order) => (
      <>
        <Lines order={order} />
        <QuerySection
          title="Stock documents"
          op={listStockDocuments}
          parts={{ query: { order_id: order.id } }}
          empty="Nothing was posted"
          columns={[
            { title: 'Document', as: 'stock_document', value: (row) => row },
            { title: 'Type', as: 'label', value: 'type' },
            { title: 'Status', as: 'status', value: 'status' },
            { title: 'Posted', as: 'time', value: 'approvedAt' },
          ]}
        />
      </>
    )}
  </RecordPanel>
);

/** From the most frequent. */
const BUTTONS: readonly OrderStatus[] = ['completed', 'open', 'in_progress', 'waiting', 'draft', 'cancelled'];

function OrderActions({ order }: { readonly order: OrderDetail }) {
  const targets = BUTTONS.filter((status) => ORDER_TRANSITIONS[order.status].includes(status));
  const hasParts = isOutstanding(order.status) && (order.module === 'buy' || order.module === 'sell');
  const getKind = (status: OrderStatus) => (status === 'cancelled' ? 'danger' : status === targets[0] ? 'main' : 'normal');
  return (
    <>
      {targets.map((status) => (
        <DialogButton key={status} label={VERBS[status]} kind={getKind(status)} op={updateOrder}>
          {(close) => <StatusChange order={order} to={status} onClose={close} />}
        </DialogButton>
      ))}
      {hasParts && (
        <DialogButton label={order.module === 'buy' ? 'Receive a part' : 'Ship a part'} op={createStockDocument}>
          {(close) => <PartialPosting order={order} onClose={close} />}
        </DialogButton>
      )}
    </>
  );
}

function Lines({ order: { currency, lines, total, taxTotal } }: { readonly order: OrderDetail }) {
  const { money } = useFormat();
  return (
    <TableSection
      title="Lines"
      rows={lines}
      empty="No lines"
      columns={[
        {
          title: 'Item',
          value: ({ itemName, description }) => itemName ?? description,
          href: ({ itemId }) => itemId !== null && `/items/${itemId}`,
        },
        { title: 'Quantity', value: 'quantity', unit: ({ unit }) => unit },
        { title: 'Done', as: 'number', value: 'fulfilledQuantity' },
        { title: 'Price', as: 'money', value: 'unitPrice', currency: () => currency },
        { title: 'Total', as: 'money', value: 'lineTotal', currency: () => currency },
      ]}
    >
      <p className="number pt-2">
        {taxTotal !== 0 && <span className="text-soft">Tax {money(taxTotal, currency)} · </span>}
        <strong>{money(total, currency)}</strong>
      </p>
    </TableSection>
  );
}
