/** Cancelling a document in whatever state it is: what is not posted is withdrawn, what is posted is reversed (D-14, D-15). */
import type { Context } from './context.ts';
import { getDocument, withdrawDocument } from './stock-documents.ts';
import { documentLines } from './stock-lines.ts';
import type { PostedDocument } from './stock-post.ts';
import { reverseDocument } from './stock-posting.ts';
import { checkState } from './stock-states.ts';
import type { Tx } from './tables.ts';
import { blankToNull } from './text.ts';

/** The document afterwards, and what became of the stock: nothing when it was not posted. */
export async function cancelDocument(tx: Tx, context: Context, id: string, reason: string | null): Promise<PostedDocument> {
  const document = await getDocument(tx, id);
  checkState(document, ['draft', 'submitted', 'approved'], 'be cancelled');
  const lines = await documentLines(tx, id);
  const said = blankToNull(reason);
  if (document.status === 'approved') return reverseDocument(tx, context, document, lines, said);
  return { ...(await withdrawDocument(tx, context, document, lines, said)), effects: [] };
}
