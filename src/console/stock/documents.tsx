/** Stock documents: the list, and one with its lines, its effect before posting, and what can be done with it. */
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
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
import { Button, Facts, Section, Status } from '../ui/elements.tsx';
import { useUrlFilters } from '../ui/filters.tsx';
import { ListView } from '../ui/list-view.tsx';
import { MiniTable } from '../ui/mini-table.tsx';
import { RecordForm } from '../ui/record-form.tsx';
import { RecordPanel } from '../ui/record-panel.tsx';
import { useFlag, useWithFilters } from '../ui/selection.ts';
import { DryRun } from '../ui/dry-run.tsx';

const COLUMNS: readonly Column<StockDocument>[] = [
  { title: 'Document', width: '7.5rem', sort: 'document_number', value: ({ documentNumber }) => documentNumber },
  { title: 'Type', width: '6.5rem', value: ({ type }) => type, render: ({ type }) => toLabel(type) },
  { title: 'Status', width: '6.5rem', value: ({ status }) => status, render: ({ status }) => <Status value={status} /> },
  {
    title: 'Site',
    width: 'minmax(6rem, 1fr)',
    rank: 34,
    value: ({ site, toSite }) => (toSite ? `${site.name} → ${toSite.name}` : site.name),
  },
  { title: 'Order', width: '7rem', rank: 48, value: ({ order }) => order?.orderNumber },
  { title: 'Contact', width: 'minmax(6rem, 1fr)', rank: 60, value: ({ contact }) => contact?.name },
  { title: 'Lines', width: '3.5rem', rank: 42, isNumber: true, value: ({ lineCount }) => lineCount },
  {
    title: 'Cost',
    width: '7rem',
    rank: 54,
    isNumber: true,
    value: ({ totalCost }) => totalCost,
    render: ({ totalCost }, { money }) => money(totalCost),
  },
  {
    title: 'Date',
    width: '7rem',
    rank: 38,
    isNumber: true,
    value: ({ documentDate }) => documentDate,
    render: ({ documentDate }, { day }) => day(documentDate),
  },
];

const FIELDS = ['type', 'siteId', 'toSiteId', 'contactId', 'orderId', 'documentDate', 'reason', 'reference', 'notes', 'lines'] as const;
const LINE_FIELDS = ['itemId', 'quantity', 'countedQuantity', 'unitCost', 'direction'] as const;

export function Documents({ id, tabs }: { readonly id: string | undefined; readonly tabs: ReactNode }) {
  const filters = useUrlFilters(listStockDocuments);
  const [isNew, setNew] = useFlag('new');
  const [, navigate] = useLocation();
  const withFilters = useWithFilters();
  return (
    <ListView<StockDocument>
      title="Stock documents"
      op={listStockDocuments}
      filters={filters}
      filterNames={['type', 'status']}
      columns={COLUMNS}
      getId={(row) => row.id}
      getHref={(row) => withFilters(`/stock/documents/${row.id}`)}
      selectedId={id}
      tabs={tabs}
      empty="No stock documents yet"
      actions={
        <Button kind="main" icon="plus" onClick={() => setNew(true)}>
          New document
        </Button>
      }
    >
      {id !== undefined && <DocumentDetails id={id} onClose={() => navigate(withFilters('/stock/documents'))} />}
      {isNew && (
        <RecordForm
          title="New stock document"
          op={createStockDocument}
          fields={FIELDS}
          lineFields={LINE_FIELDS}
          initial={{ lines: [{}] }}
          onClose={() => setNew(false)}
        />
      )}
    </ListView>
  );
}

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
      <Section title="Lines">
        <MiniTable
          label="Lines"
          rows={document.lines ?? []}
          empty="No lines"
          columns={[
            { title: 'Item', render: ({ item }) => <Link href={`/items/${item.id}`}>{item.name}</Link> },
            {
              title: 'Quantity',
              isNumber: true,
              render: ({ quantity, countedQuantity, unit }) => `${number(quantity ?? countedQuantity)} ${unit?.symbol ?? ''}`,
            },
            { title: 'Unit cost', isNumber: true, render: ({ unitCost, postedUnitCost }) => money(postedUnitCost ?? unitCost) },
            { title: 'Before', isNumber: true, render: ({ onHandBefore }) => number(onHandBefore) },
            { title: 'After', isNumber: true, render: ({ onHandAfter }) => number(onHandAfter) },
          ]}
        />
      </Section>
    </>
  );
}
