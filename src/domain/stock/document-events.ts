/** Records changes of stock documents: one audit row per action, one event per transaction (D-23). */
import type { DocumentStatus } from '../../contract/resources/stock-documents.ts';
import type { StockEffect } from '../../contract/resources/stock-effects.ts';
import { type Changes, diffFields, recordChange } from '../events/changes.ts';
import { toEventEffects } from '../events/stock-effects.ts';
import type { Context } from '../kernel/context.ts';
import { HEADER_FIELDS } from './document-header.ts';
import type { StockDocumentRecord } from './records.ts';
import type { Tx } from '../tables.ts';

export interface DocumentChange {
  /** Old and new values for the audit row, as in the API. */
  readonly changes?: Changes;
  /** The document before the change: the event lists all fields that differ. */
  readonly before?: StockDocumentRecord;
  /** The changed fields in the event, in addition to those that differ from `before`; default: the keys of `changes`. */
  readonly fields?: readonly string[];
  /** Given when the status changed. */
  readonly previousStatus?: DocumentStatus;
  /** Given when quantities on hand or available changed; such an event is never merged with that of its creation. */
  readonly stockEffects?: readonly StockEffect[];
  /** Given when the document was deleted. */
  readonly deletedAt?: string;
  /** Further data for the audit row. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** The fields of a document, as in the API, that a change can set. */
const EVENT_FIELDS = [
  ...HEADER_FIELDS,
  'status',
  'lineCount',
  'totalCost',
  'totalVariance',
  'submittedAt',
  'submittedBy',
  'approvedAt',
  'approvedBy',
  'cancelledAt',
  'cancelledBy',
  'cancelReason',
  'reversedAt',
] as const satisfies readonly (keyof StockDocumentRecord)[];

/** Documents of earlier releases have no `totalVariance`; theirs counts as 0. */
const listChangedFields = (before: StockDocumentRecord, after: StockDocumentRecord): string[] =>
  Object.keys(
    diffFields(
      { ...before, totalVariance: before.totalVariance ?? 0 },
      { ...after, totalVariance: after.totalVariance ?? 0 },
      EVENT_FIELDS,
    ),
  );

/** Records an action. `document` is the document after it. */
export async function recordDocumentChange(
  tx: Tx,
  context: Context,
  action: `stock_document.${string}`,
  event: 'stock_document.created' | 'stock_document.updated',
  document: StockDocumentRecord,
  { changes = {}, before, fields, previousStatus, stockEffects, deletedAt, metadata }: DocumentChange = {},
): Promise<void> {
  const { id, type, status, documentNumber, siteId, toSiteId, orderId, returnOf, lineCount } = document;
  await recordChange(tx, context, {
    action,
    resourceType: 'stock_document',
    resourceId: id,
    changes,
    ...(metadata ? { metadata } : {}),
    event: {
      name: event,
      resourceId: id,
      updatedAt: deletedAt ?? document.updatedAt,
      changes: [...(before ? listChangedFields(before, document) : []), ...(fields ?? (before ? [] : Object.keys(changes)))],
      isSeparate: stockEffects !== undefined,
      data: {
        type,
        status,
        documentNumber,
        siteId,
        toSiteId,
        orderId,
        ...(typeof returnOf === 'string' ? { returnOf } : {}),
        lineCount,
        ...(previousStatus === undefined ? {} : { previousStatus }),
        ...toEventEffects(stockEffects),
        ...(deletedAt === undefined ? {} : { deletedAt }),
      },
    },
  });
}
