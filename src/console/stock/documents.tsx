/** Stock documents: the list, and one with its lines, its effect before posting, and what can be done with it. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import {
  type StockDocument,
  approveStockDocument,
  cancelStockDocument,
  createStockDocument,
  deleteStockDocument,
  getStockDocument,
  listStockDocuments,
  submitStockDocument,
  updateStockDocument,
} from '../../contract/resources/stock-documents.ts';
import type { Operation } from '../../contract/operation.ts';
import { toLabel, useFormat } from '../api/format.ts';
import { useOperation } from '../api/queries.ts';
import { ConfirmButton } from '../ui/confirm.tsx';
import type { Column } from '../ui/data-table.tsx';
import { Facts, Status } from '../ui/elements.tsx';
import { RecordListView } from '../ui/record-list-view.tsx';
import { RecordPanel } from '../ui/record-panel.tsx';
import { DryRun } from '../ui/dry-run.tsx';
import { TableSection } from '../ui/mini-table.tsx';

const COLUMNS: readonly Column<StockDocument>[] = [
  { title: 'Document', width: '7.5rem', sort: 'document_number', value: ({ documentNumber }) => documentNumber },
  { title: 'Type', width: '6.5rem', as: 'label', value: ({ type }) => type },
  { title: 'Status', width: '6.5rem', as: 'status', value: ({ status }) => status },
  {
    title: 'Site',
    width: 'minmax(6rem, 1fr)',
    rank: 34,
    value: ({ site, toSite }) => (toSite ? `${site.name} → ${toSite.name}` : site.name),
  },
  { title: 'Order', width: '7rem', rank: 48, value: ({ order }) => order?.orderNumber },
  { title: 'Contact', width: 'minmax(6rem, 1fr)', rank: 60, value: ({ contact }) => contact?.name },
  { title: 'Lines', width: '3.5rem', rank: 42, isNumber: true, value: ({ lineCount }) => lineCount },
  { title: 'Cost', width: '7rem', rank: 54, as: 'money', value: ({ totalCost }) => totalCost },
  { title: 'Date', width: '7rem', rank: 38, as: 'day', value: ({ documentDate }) => documentDate },
];

const FIELDS = ['type', 'siteId', 'toSiteId', 'contactId', 'orderId', 'documentDate', 'reason', 'reference', 'notes', 'lines'] as const;
const LINE_FIELDS = ['itemId', 'quantity', 'countedQuantity', 'unitCost', 'direction'] as const;

const CREATE = {
  title: 'New document',
  op: createStockDocument,
  fields: FIELDS,
  lineFields: LINE_FIELDS,
  initial: { lines: [{}] },
} as const;

export const Documents = ({ id, tabs }: { readonly id: string | undefined; readonly tabs: ReactNode }) => (
  <RecordListView<StockDocument>
    title="Stock documents"
    path="/stock/documents"
    id={id}
    op={listStockDocuments}
    filterNames={['type', 'status']}
    columns={COLUMNS}
    tabs={tabs}
    empty="No stock documents yet"
    create={CREATE}
    details={(open, onClose) => <DocumentDetails id={open} onClose={onClose} />}
  />
);

const isDraft = ({ status }: StockDocument): boolean => status === 'draft';

function DocumentDetails({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const parts = { params: { document_id: id }, query: { include: 'lines' } } as const;
  return (
    <RecordPanel
      label="Stock document"
      read={useOperation(getStockDocument, parts)}
      samples={[{ op: getStockDocument, parts }]}
      getTitle={({ documentNumber, status }) => (
        <>
          {documentNumber} <Status value={status} />
        </>
      )}
      edit={{ op: updateStockDocument, fields: FIELDS.filter((name) => name !== 'type' && name !== 'lines'), canEdit: isDraft }}
      remove={{ op: deleteStockDocument, note: 'A draft has changed no stock.', canRemove: isDraft }}
      actions={(document) => <DocumentActions document={document} />}
      onClose={onClose}
    >
      {(document) => <DocumentBody document={document} />}
    </RecordPanel>
  );
}

interface Action {
  readonly label: string;
  readonly op: Operation;
  readonly note: string;
  readonly isDangerous?: boolean;
}
const SUBMIT: Action = {
  label: 'Submit',
  op: submitStockDocument,
  note: 'Its lines count as committed or incoming stock until it is approved.',
};
const APPROVE: Action = { label: 'Approve', op: approveStockDocument, note: 'Posts the stock:' };
const CANCEL: Action = { label: 'Cancel document', op: cancelStockDocument, note: 'The document cannot be used again.', isDangerous: true };
const REVERSE: Action = { label: 'Reverse', op: cancelStockDocument, note: 'Takes the posted stock back:', isDangerous: true };

const ACTIONS: Readonly<Record<StockDocument['status'], readonly Action[]>> = {
  draft: [SUBMIT, CANCEL],
  submitted: [APPROVE, CANCEL],
  approved: [REVERSE],
  cancelled: [],
};

const DocumentActions = ({ document }: { readonly document: StockDocument }) =>
  ACTIONS[document.status].map(({ label, op, note, isDangerous = false }) => (
    <ConfirmButton
      key={label}
      label={label}
      kind={isDangerous ? 'danger' : 'main'}
      isDangerous={isDangerous}
      title={`${label}: ${document.documentNumber}`}
      action={label}
      samples={[{ op, parts: { params: { document_id: document.id }, body: {} } }]}
    >
      <p>{note}</p>
      <DryRun op={op} parts={{ params: { document_id: document.id }, body: {} }} />
    </ConfirmButton>
  ));

function DocumentBody({ document }: { readonly document: StockDocument }) {
  const { day, money, number, time } = useFormat();
  return (
    <>
      <Facts
        facts={[
          ['Type', toLabel(document.type)],
          ['Site', document.site.name],
          ['To', document.toSite?.name],
          ['Order', document.order && <Link href={`/orders/${document.order.id}`}>{document.order.orderNumber}</Link>],
          ['Contact', document.contact && <Link href={`/contacts/${document.contact.id}`}>{document.contact.name}</Link>],
          ['Date', day(document.documentDate)],
          ['Reason', document.reason && toLabel(document.reason)],
          ['Reference', document.reference],
          ['Notes', document.notes],
          ['Total cost', money(document.totalCost)],
          ['Submitted', time(document.submittedAt)],
          ['Approved', time(document.approvedAt)],
          ['Cancelled', time(document.cancelledAt)],
          ['Because', document.cancelReason],
        ]}
      />
      <TableSection
        title="Lines"
        rows={document.lines}
        empty="No lines"
        columns={[
          { title: 'Item', render: ({ item }) => <Link href={`/items/${item.id}`}>{item.name}</Link> },
          {
            title: 'Quantity',
            isNumber: true,
            render: ({ quantity, countedQuantity, unit }) => `${number(quantity ?? countedQuantity)} ${unit?.symbol ?? ''}`,
          },
          { title: 'Unit cost', isNumber: true, render: ({ unitCost, postedUnitCost }) => money(postedUnitCost ?? unitCost) },
          { title: 'Before', as: 'number', value: ({ onHandBefore }) => onHandBefore },
          { title: 'After', as: 'number', value: ({ onHandAfter }) => onHandAfter },
        ]}
      />
    </>
  );
}
