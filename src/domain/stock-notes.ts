/** What is told about a stock document: one audit row per action, one event per transaction (D §7). */
import { STOCK_EFFECTS_MAX } from '../contract/limits.ts';
import type { DocumentStatus, StockEffect } from '../contract/stock-documents.ts';
import { type Changes, note } from './changes.ts';
import type { Context } from './context.ts';
import type { StockDocumentRecord } from './stock-records.ts';
import type { Tx } from './tables.ts';

export interface DocumentNote {
  /** Old and new wire values, for the audit row. */
  readonly changes?: Changes;
  /** What the event calls changed; default: the names of `changes`. */
  readonly fields?: readonly string[];
  /** When the status changed. */
  readonly previousStatus?: DocumentStatus;
  /** Of a posting, in wire numbers. */
  readonly stockEffects?: readonly StockEffect[];
  /** When the document is gone. */
  readonly deletedAt?: string;
  /** Beside the changes in the audit row. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** Notes an action on the document, which is given as it is afterwards. */
export async function noteDocument(
  tx: Tx,
  context: Context,
  action: `stock_document.${string}`,
  event: 'stock_document.created' | 'stock_document.updated',
  document: StockDocumentRecord,
  { changes = {}, fields, previousStatus, stockEffects, deletedAt, metadata }: DocumentNote = {},
): Promise<void> {
  const { id, type, status, documentNumber, siteId, toSiteId, orderId, lineCount } = document;
  await note(tx, context, {
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
