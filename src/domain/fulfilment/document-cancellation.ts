/** Cancels a document; a posted document is reversed (D-14, D-15). */
import type { Context } from '../kernel/context.ts';
import { getDocument, cancelUnpostedDocument } from '../stock/documents.ts';
import { listDocumentLines } from '../stock/lines.ts';
import type { PostedDocument } from '../stock/posting.ts';
import { reverseDocument } from './document-approval.ts';
import { checkDocumentStatus } from '../stock/document-states.ts';
import type { Tx } from '../tables.ts';
import { blankToNull } from '../kernel/text.ts';

/** Cancels a document. Returns it with the effects on stock, which are empty if it was not posted. */
export async function cancelDocument(tx: Tx, context: Context, id: string, reason: string | null): Promise<PostedDocument> {
  const document = await getDocument(tx, id);
  checkDocumentStatus(document, ['draft', 'submitted', 'approved'], 'be cancelled');
  const lines = await listDocumentLines(tx, id);
  const cancelReason = blankToNull(reason);
  if (document.status === 'approved') return reverseDocument(tx, context, document, lines, cancelReason);
  return { ...(await cancelUnpostedDocument(tx, context, document, lines, cancelReason)), effects: [], entries: [] };
}
