/** Posts the documents that an import creates: a document that cannot be posted is removed, so that its rows can be corrected and imported again. */
import type { Reply } from '../../client/client.ts';
import { ApiError } from '../../client/errors.ts';
import { IDEMPOTENT_REPLAYED } from '../../contract/headers.ts';
import type { Operation } from '../../contract/operation.ts';
import {
  approveStockDocument,
  deleteStockDocument,
  submitStockDocument,
  updateStockDocument,
} from '../../contract/resources/stock-documents.ts';
import type { SendRequest } from './send.ts';

/** What was done for a row. `document`: the number of a new stock document. */
export type Outcome =
  | { readonly kind: 'updated' | 'unchanged' | 'repeated' }
  | { readonly kind: 'created'; readonly document?: string | undefined };

/** Completes a new record. Undefined if an earlier import removed it, so that it has to be created again. */
export type PostRecord = (created: Reply, idempotencyKey: string, request: SendRequest) => Promise<Outcome | undefined>;

/** The number of a new document; undefined for other records. */
export const getDocumentNumber = (created: Reply): string | undefined =>
  (created as Reply<{ data: { documentNumber?: string } }>).body.data.documentNumber;

export const postDocument: PostRecord = async (created, idempotencyKey, request) => {
  const { id } = (created as Reply<{ data: { id: string } }>).body.data;
  const isReplayed = created.headers[IDEMPOTENT_REPLAYED] === 'true';
  const send = (op: Operation, name: string, body: object = {}): Promise<Reply> =>
    request((client) => client.perform(op, { params: { document_id: id }, body }, { idempotencyKey: `${idempotencyKey}-${name}` }));
  try {
    await send(submitStockDocument, 'submit');
    await send(approveStockDocument, 'approve');
    return isReplayed ? { kind: 'repeated' } : { kind: 'created', document: getDocumentNumber(created) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (isReplayed && error.code === 'NOT_FOUND') return undefined;
    if (isReplayed && error.code === 'INVALID_STATE') return { kind: 'repeated' };
    await send(updateStockDocument, 'recall', { status: 'draft' }).catch(() => undefined);
    await request((client) => client.perform(deleteStockDocument, { params: { document_id: id } }));
    throw error;
  }
};
