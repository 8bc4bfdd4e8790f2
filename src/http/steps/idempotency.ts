/**
 * Makes writes idempotent. A-3. A key in use is locked in memory only, so no lock outlives a crash. The reply is stored in
 * the same commit as the change, so a crash leaves both or neither.
 */
import { IDEMPOTENCY_KEY, IDEMPOTENCY_KEY_PATTERN } from '../../contract/headers.ts';
import { IDEMPOTENCY_KEY_MAX_CHARS } from '../../contract/limits.ts';
import type { Operation } from '../../contract/operation.ts';
import { StockroomError } from '../../domain/kernel/errors.ts';
import type { IdempotencyRecord } from '../../domain/idempotency/records.ts';
import { computeFingerprint, getReplyExpiry, isReplyExpired, toReplyId } from '../../domain/idempotency/stored-replies.ts';
import { getPrincipal } from '../../domain/tenancy/api-keys.ts';
import type { ApiKeyRecord } from '../../domain/tenancy/records.ts';
import type { ReadTx, Tx } from '../../domain/tables.ts';
import { isRepeatedHeader } from '../repeated-header.ts';
import type { Reply } from '../response/reply.ts';
import type { RequestServices } from '../request-services.ts';
import type { OperationRequest } from './operation-request.ts';

const PATTERN = new RegExp(IDEMPOTENCY_KEY_PATTERN, 'u');

export interface IdempotencyKey {
  /** Id of the stored reply. */
  readonly replyId: string;
  /** Earlier releases stored the replies of applications by key. They are found for a day after an upgrade. */
  readonly earlierReplyId: string | undefined;
  /** Of the request. */
  readonly fingerprint: string;
}

/** The request of an idempotency key. */
type KeyedRequest = Pick<OperationRequest, 'method' | 'path' | 'headers' | 'query' | 'raw'>;

export function readIdempotencyKey(request: KeyedRequest, key: ApiKeyRecord, body: unknown): IdempotencyKey {
  const text = readKeyHeader(request);
  if (text === undefined) {
    throw new StockroomError(
      'IDEMPOTENCY_KEY_REQUIRED',
      'Missing header Idempotency-Key. POST and PATCH require it; use a new value for every change.',
    );
  }
  return {
    ...toIdempotencyKey(request, getPrincipal(key), text, body),
    earlierReplyId: key.applicationId === null ? undefined : toReplyId(key.id, text),
  };
}

/** The key of a request of the owner of the daemon; undefined without the header. */
export function readOwnerIdempotencyKey(request: KeyedRequest, body: unknown): IdempotencyKey | undefined {
  const text = readKeyHeader(request);
  return text === undefined ? undefined : toIdempotencyKey(request, 'owner', text, body);
}

const toIdempotencyKey = ({ method, path, query }: KeyedRequest, scope: string, text: string, body: unknown): IdempotencyKey => ({
  replyId: toReplyId(scope, text),
  earlierReplyId: undefined,
  fingerprint: computeFingerprint(method, path, query, body),
});

function readKeyHeader({ raw, headers }: KeyedRequest): string | undefined {
  if (isRepeatedHeader(raw?.req.rawHeaders ?? [], IDEMPOTENCY_KEY))
    throw new StockroomError('IDEMPOTENCY_KEY_INVALID', 'Idempotency-Key must be sent once.');
  const header = headers[IDEMPOTENCY_KEY] as string | undefined;
  if (header === undefined) return undefined;
  if (header.length > IDEMPOTENCY_KEY_MAX_CHARS) {
    throw new StockroomError(
      'IDEMPOTENCY_KEY_INVALID',
      `Idempotency-Key has ${String(header.length)} characters; at most ${String(IDEMPOTENCY_KEY_MAX_CHARS)} are allowed.`,
    );
  }
  if (!PATTERN.test(header)) {
    throw new StockroomError(
      'IDEMPOTENCY_KEY_INVALID',
      `Idempotency-Key must have 1 to ${String(IDEMPOTENCY_KEY_MAX_CHARS)} characters and no control characters.`,
    );
  }
  return header;
}

/** Rejects a key that another request is using right now. Returns the function that unlocks it. `tenantId` is empty for the owner's requests. */
export function lockIdempotencyKey({ activeIdempotencyKeys }: RequestServices, tenantId: string, { replyId }: IdempotencyKey): () => void {
  const name = `${tenantId} ${replyId}`;
  if (activeIdempotencyKeys.has(name)) {
    throw new StockroomError('IDEMPOTENCY_IN_PROGRESS', 'A request with this Idempotency-Key is still running. Retry in 1 s.', {
      headers: { 'retry-after': '1' },
    });
  }
  activeIdempotencyKeys.add(name);
  return () => void activeIdempotencyKeys.delete(name);
}

/** The ids under which the reply to an earlier request with the same key may be stored. */
export const getReplyIds = ({ replyId, earlierReplyId }: IdempotencyKey): readonly string[] =>
  earlierReplyId === undefined ? [replyId] : [replyId, earlierReplyId];

/** The reply to an earlier request that had the same key. It may have expired. */
export async function readStoredReply(tx: ReadTx, key: IdempotencyKey): Promise<IdempotencyRecord | undefined> {
  if (key.earlierReplyId === undefined) return tx.idempotency.get(key.replyId);
  const [stored, earlier] = await tx.idempotency.getMany(getReplyIds(key));
  return stored ?? earlier;
}

/** The stored reply as the reply to this request; undefined if it has expired. */
export function toReplay(op: Operation, { fingerprint }: IdempotencyKey, stored: IdempotencyRecord, now: Date): Reply | undefined {
  if (isReplyExpired(stored, now)) return undefined;
  if (stored.fingerprint !== fingerprint) {
    throw new StockroomError('CONFLICT', 'This Idempotency-Key was used with a different request. Use a new key for a new change.');
  }
  const { status, location, body, etag } = stored;
  return { status, location, body, etag, noStore: op.shownOnce !== undefined, replayed: true };
}

/** Stores a successful reply. A rejected request throws and stores nothing. */
export async function storeReply(tx: Tx, { shownOnce }: Operation, key: IdempotencyKey, reply: Reply): Promise<void> {
  const { status, location = null, etag = null, body } = reply;
  await tx.idempotency.put({
    id: key.replyId,
    fingerprint: key.fingerprint,
    status,
    location,
    etag,
    body: shownOnce ? omitFields(body, shownOnce) : body,
    createdAt: tx.now.toISOString(),
    expiresAt: getReplyExpiry(tx.now),
  });
}

function omitFields(json: string, fields: readonly string[]): string {
  return JSON.stringify(JSON.parse(json), (key: string, value: unknown) => (fields.includes(key) ? undefined : value));
}
