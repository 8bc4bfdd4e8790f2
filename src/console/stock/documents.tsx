/** Stock documents: the list, and one with its lines, its effect before posting, and what can be done with it. */
import type { Operation } from '../../contract/operation.ts';
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
import { type Cell, ConfirmButton, type ConfirmProps, ListView, Status, TableSection, toParts } from '../ui/index.ts';

const FIELDS: readonly Cell<StockDocument>[] = [
  { title: 'Document', width: '7.5rem', sort: 'document_number', value: 'documentNumber', isListOnly: true },
  { title: 'Type', width: '6.5rem', as: 'label', value: 'type' },
  { title: 'Status', width: '6.5rem', as: 'status', value: 'status', isListOnly: true },
  {
    title: 'Site',
    width: 'minmax(6rem, 1fr)',
    rank: 34,
    value: ({ site, toSite }) => (toSite ? `${site.name} → ${toSite.name}` : site.name),
  },
  { title: 'Order', width: '7rem', rank: 48, as: 'order', value: 'order' },
  { title: 'Contact', width: 'minmax(6rem, 1fr)', rank: 60, as: 'contact', value: 'contact' },
  { title: 'Lines', width: '3.5rem', rank: 42, as: 'number', value: 'lineCount', isListOnly: true },
  { title: 'Cost', width: '7rem', rank: 54, as: 'money', value: 'totalCost' },
  { title: 'Date', width: '7rem', rank: 38, as: 'day', value: 'documentDate' },
  { title: 'Reason', as: 'label', value: 'reason' },
  { title: 'Reference', value: 'reference' },
  { title: 'Notes', value: 'notes' },
  { title: 'Submitted', as: 'time', value: 'submittedAt' },
  { title: 'Approved', as: 'time', value: 'approvedAt' },
  { title: 'Cancelled', as: 'time', value: 'cancelledAt' },
  { title: 'Because', value: 'cancelReason' },
];

const LINE_FIELDS = ['itemId', 'quantity', 'countedQuantity', 'unitCost', 'direction'] as const;
const isDraft = ({ status }: StockDocument): boolean => status === 'draft';

export const Documents = () => (
  <ListView<StockDocument>
    title="Stock documents"
    path="/stock/documents"
    op={listStockDocuments}
    filters={['type', 'status']}
    columns={FIELDS}
    empty="No stock documents yet"
    create={{ title: 'New document', op: createStockDocument, lineFields: LINE_FIELDS, initial: { lines: [{}] } }}
    details={{
      label: 'Stock document',
      op: getStockDocument,
      query: { include: 'lines' },
      getTitle: ({ documentNumber, status }) => [documentNumber, ' ', <Status key={status} value={status} />],
      edit: { op: updateStockDocument, omit: ['status'], canEdit: isDraft },
      remove: { op: deleteStockDocument, note: 'A draft has changed no stock.', canRemove: isDraft },
      actions: showActions,
      children: (document) => <Lines document={document} />,
    }}
  />
);

const Lines = ({ document: { lines } }: { readonly document: StockDocument }) => (
  <TableSection
    title="Lines"
    rows={lines}
    empty="No lines"
    columns={[
      { title: 'Item', as: 'item', value: 'item' },
      { title: 'Quantity', value: ({ quantity, countedQuantity }) => quantity ?? countedQuantity, unit: ({ unit }) => unit },
      { title: 'Unit cost', as: 'money', value: ({ unitCost, postedUnitCost }) => postedUnitCost ?? unitCost },
      { title: 'Before', as: 'number', value: 'onHandBefore' },
      { title: 'After', as: 'number', value: 'onHandAfter' },
    ]}
  />
);

type Action = Pick<ConfirmProps, 'kind' | 'note'> & { readonly label: string; readonly op: Operation };

const CANCEL: Action = { label: 'Cancel document', op: cancelStockDocument, note: 'The document cannot be used again.', kind: 'danger' };

const ACTIONS: Readonly<Record<StockDocument['status'], readonly Action[]>> = {
  draft: [
    {
      label: 'Submit',
      op: submitStockDocument,
      note: 'Its lines count as committed or incoming stock until it is approved.',
      kind: 'main',
    },
    CANCEL,
  ],
  submitted: [{ label: 'Approve', op: approveStockDocument, note: 'Posts the stock:', kind: 'main' }, CANCEL],
  approved: [{ label: 'Reverse', op: cancelStockDocument, note: 'Takes the posted stock back:', kind: 'danger' }],
  cancelled: [],
};

const showActions = ({ id, documentNumber, status }: StockDocument) =>
  ACTIONS[status].map(({ op, ...action }) => (
    <ConfirmButton
      key={action.label}
      {...action}
      title={`${action.label}: ${documentNumber}`}
      sample={{ op, parts: { ...toParts(op, id), body: {} } }}
      isPreviewed
    />
  ));
