/** One order: its lines, stock documents and changes of status. */
import { useState } from 'react';
import { Link } from 'wouter';
import {
  ORDER_TRANSITIONS,
  type OrderDetail,
  type OrderStatus,
  getOrder,
  isOutstanding,
  updateOrder,
} from '../../contract/resources/orders.ts';
import { listStockDocuments } from '../../contract/resources/stock-documents.ts';
import { toLabel, useFormat } from '../api/format.ts';
import { useOperation } from '../api/queries.ts';
import { Button, Facts, Section, Status } from '../ui/elements.tsx';
import { MiniTable, TableSection } from '../ui/mini-table.tsx';
import { RecordPanel } from '../ui/record-panel.tsx';
import { isLate } from './late.ts';
import { PartialPosting } from './partial-posting.tsx';
import { StatusChange, getVerb } from './status-change.tsx';

const HEADER_FIELDS = ['contactId', 'priority', 'orderDate', 'dueDate', 'siteId', 'reference', 'notes'] as const;
/** From the most frequent. */
const BUTTONS: readonly OrderStatus[] = ['completed', 'open', 'in_progress', 'waiting', 'draft', 'cancelled'];

interface DetailsProps {
  readonly id: string;
  readonly onClose: () => void;
}

export function OrderDetails({ id, onClose }: DetailsProps) {
  const parts = { params: { order_id: id }, query: { include: 'lines' } } as const;
  return (
    <RecordPanel
      label="Order"
      read={useOperation(getOrder, parts)}
      samples={[{ op: getOrder, parts }]}
      getTitle={({ orderNumber, status }) => (
        <>
          {orderNumber} <Status value={status} />
        </>
      )}
      edit={{ op: updateOrder, fields: HEADER_FIELDS, canEdit: ({ status }) => ORDER_TRANSITIONS[status].length > 0 }}
      actions={(order) => <OrderActions order={order} />}
      onClose={onClose}
    >
      {(order) => <OrderBody order={order} />}
    </RecordPanel>
  );
}

function OrderActions({ order }: { readonly order: OrderDetail }) {
  const [open, setOpen] = useState<OrderStatus | 'part'>();
  const close = (): void => setOpen(undefined);
  const targets = BUTTONS.filter((status) => ORDER_TRANSITIONS[order.status].includes(status));
  const hasParts = isOutstanding(order.status) && (order.module === 'buy' || order.module === 'sell');
  return (
    <>
      {targets.map((status, at) => (
        <Button
          key={status}
          {...(status === 'cancelled' ? { kind: 'danger' as const } : at === 0 && { kind: 'main' as const })}
          onClick={() => setOpen(status)}
        >
          {getVerb(status)}
        </Button>
      ))}
      {hasParts && <Button onClick={() => setOpen('part')}>{order.module === 'buy' ? 'Receive a part' : 'Ship a part'}</Button>}
      {open === 'part' ? (
        <PartialPosting order={order} onClose={close} />
      ) : (
        open && <StatusChange order={order} to={open} onClose={close} />
      )}
    </>
  );
}

function OrderBody({ order }: { readonly order: OrderDetail }) {
  const { day, money, number, time, today } = useFormat();
  const { currency } = order;
  return (
    <>
      <Facts
        facts={[
          ['Module', toLabel(order.module)],
          ['Contact', <Link href={`/contacts/${order.contactId}`}>{order.contact.company || order.contact.name}</Link>],
          ['Due', <span className={isLate(order, today) ? 'bad-text' : undefined}>{day(order.dueDate)}</span>],
          ['Ordered', day(order.orderDate)],
          ['Site', order.site?.name],
          ['Priority', order.priority === 'normal' ? undefined : <Status value={order.priority} />],
          ['Fulfilment', order.fulfilment === 'none' ? undefined : <Status value={order.fulfilment} />],
          ['Reference', order.reference],
          ['Notes', order.notes],
          ['Cancelled because', order.cancelReason],
          ['Completed', time(order.completedAt)],
        ]}
      />
      <Section title="Lines">
        <MiniTable
          label="Lines"
          rows={order.lines ?? []}
          empty="No lines"
          columns={[
            {
              title: 'Item',
              render: ({ itemId, itemName, description }) =>
                itemId === null ? description : <Link href={`/items/${itemId}`}>{itemName ?? description}</Link>,
            },
            { title: 'Quantity', isNumber: true, render: ({ quantity, unit }) => `${number(quantity)} ${unit?.symbol ?? ''}` },
            { title: 'Done', as: 'number', value: ({ fulfilledQuantity }) => fulfilledQuantity },
            { title: 'Price', isNumber: true, render: ({ unitPrice }) => money(unitPrice, currency) },
            { title: 'Total', isNumber: true, render: ({ lineTotal }) => money(lineTotal, currency) },
          ]}
        />
        <p className="number totals">
          {order.taxTotal !== 0 && <span className="soft">Tax {money(order.taxTotal, currency)} · </span>}
          <strong>{money(order.total, currency)}</strong>
        </p>
      </Section>
      <OrderDocuments id={order.id} />
    </>
  );
}

function OrderDocuments({ id }: { readonly id: string }) {
  const { data } = useOperation(listStockDocuments, { query: { order_id: id } });
  return (
    <TableSection
      title="Stock documents"
      rows={data?.data}
      empty="Nothing was posted"
      columns={[
        { title: 'Document', render: (row) => <Link href={`/stock/documents/${row.id}`}>{row.documentNumber}</Link> },
        { title: 'Type', as: 'label', value: ({ type }) => type },
        { title: 'Status', as: 'status', value: ({ status }) => status },
        { title: 'Posted', as: 'time', value: ({ approvedAt }) => approvedAt },
      ]}
    />
  );
}
