/** Records changes of stock documents: one audit row per action, one event per transaction (D-23). */
import { STOCK_EFFECTS_MAX } from '../../contract/limits.ts';
import type { DocumentStatus, StockEffect } from '../../contract/resources/stock-documents.ts';
import { type Changes, recordChange } from '../events/changes.ts';
import type { Context } from '../kernel/context.ts';
import type { StockDocumentRecord } from './records.ts';
import type { Tx } from '../tables.ts';

export interface DocumentChange {
  /** Old and new values for the audit row, as in the API. */
  readonly changes?: Changes;
  /** The changed fields in the event; default: the keys of `changes`. */
  readonly fields?: readonly string[];
  /** Given when the status changed. */
  readonly previousStatus?: DocumentStatus;
  /** Given when the document was posted or reversed. */
  readonly stockEffects?: readonly StockEffect[];
  /** Given when the document was deleted. */
  readonly deletedAt?: string;
  /** Further data for the audit row. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** Records an action. `document` is the document after it. */
export async function recordDocumentChange(
  tx: Tx,
  context: Context,
  action: `stock_document.${string}`,
  event: 'stock_document.created' | 'stock_document.updated',
  document: StockDocumentRecord,
  { changes = {}, fields, previousStatus, stockEffects, deletedAt, metadata }: DocumentChange = {},
): Promise<void> {
  const { id, type, status, documentNumber, siteId, toSiteId, orderId, lineCount } = document;
  await recordChange(tx, context, {
    action,
    resourceType: 'stock_document',
    resourceId: id,
    changes,
    ...(metadata ? { metadata } : {}),
    event: {
      name: event,
      resourceId: id,
      changes: fields ?? Object.keys(changes),
      data: {
        type,
        status,
        documentNumber,
        siteId,
        toSiteId,
        orderId,
        lineCount,
        ...(previousStatus === undefined ? {} : { previousStatus }),
        ...(stockEffects === undefined ? {} : { stockEffects: stockEffects.slice(0, STOCK_EFFECTS_MAX) }),
        ...(deletedAt === undefined ? {} : { deletedAt }),
      },
    },
  });
}
