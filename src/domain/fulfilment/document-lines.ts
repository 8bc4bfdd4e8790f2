/** Creates stock documents and their lines, with the order lines that they fulfil (D-6). */
import type { StockDocumentDraft } from '../../contract/resources/stock-documents.ts';
import type { StockLineDraft } from '../../contract/resources/stock-lines.ts';
import type { Context } from '../kernel/context.ts';
import { StockroomError } from '../kernel/errors.ts';
import { createDocument } from '../stock/documents.ts';
import { addLine, listDocumentLines } from '../stock/lines.ts';
import type { DocumentWithLines, StockDocumentRecord, StockLineRecord } from '../stock/records.ts';
import type { Tx } from '../tables.ts';
import { prepareReturn } from './order-returns.ts';
import { matchReceiptLines } from './receipt-matching.ts';

export async function createOrderDocument(tx: Tx, context: Context, draft: StockDocumentDraft): Promise<DocumentWithLines> {
  const prepared = await prepareReturn(tx, draft);
  const { type, siteId, orderId = null, returnOf } = prepared;
  const header = { type, siteId: siteId ?? context.tenant.defaultSiteId, orderId, returnOf };
  const lines = await matchReceiptLines(tx, header, prepared.lines, [], (index) => `/lines/${String(index)}`);
  return createDocument(tx, context, { ...prepared, lines });
}

/** Appends a line to a draft. Throws 409 if the line would fulfil several order lines. */
export async function addOrderDocumentLine(
  tx: Tx,
  context: Context,
  document: StockDocumentRecord,
  draft: StockLineDraft,
): Promise<StockLineRecord> {
  const [line = draft, ...others] = await matchReceiptLines(tx, document, [draft], await listDocumentLines(tx, document.id), () => '');
  if (others.length === 0) return addLine(tx, context, document, line);
  const orderLineIds = [line, ...others].map(({ orderLineId }) => orderLineId);
  throw new StockroomError('INVALID_STATE', 'The quantity belongs to several lines of the order. Add a line with orderLineId for each.', {
    details: { orderLineIds },
  });
}
