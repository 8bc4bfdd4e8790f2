/**
 * The steps that make writes idempotent. A-3. A key in use is locked in memory only, so no lock outlives a crash. The reply is stored in
 * the same commit as the change, so a crash leaves both or neither.
 */
import { IDEMPOTENCY_KEY, IDEMPOTENCY_KEY_PATTERN } from '../../contract/headers.ts';
import { IDEMPOTENCY_KEY_MAX_CHARS } from '../../contract/limits.ts';
import { StockroomError } from '../../domain/kernel/errors.ts';
import { computeFingerprint, getReplyExpiry, isReplyExpired, toReplyId } from '../../domain/kernel/stored-replies.ts';
import { getIdempotencyScope } from '../../domain/tenancy/api-keys.ts';
import type { Tx } from '../../domain/tables.ts';
import { isRepeatedHeader } from '../repeated-header.ts';
import type { OperationCall } from './operation-step.ts';

const PATTERN = new RegExp(IDEMPOTENCY_KEY_PATTERN, 'u');

/** Sets the id of the stored reply, derived from the key, and the fingerprint of the request. */
export function readIdempotencyKey(call: OperationCall): undefined {
  const { request, caller, body } = call;
  if (isRepeatedHeader(request.raw?.req.rawHeaders ?? [], IDEMPOTENCY_KEY))
    throw new StockroomError('IDEMPOTENCY_KEY_INVALID', 'Idempotency-Key must be sent once.');
  const key = requireIdempotencyKey(request.headers[IDEMPOTENCY_KEY] as string | undefined);
  call.idempotency = {
    replyId: toReplyId(getIdempotencyScope(caller.key), key),
    // ours: earlier releases stored the replies of applications by key. They are found for a day after an upgrade.
    ...(caller.key.applicationId === null ? {} : { earlierReplyId: toReplyId(caller.key.id, key) }),
    fingerprint: computeFingerprint(request.method, request.path, request.query, body),
  };
}

function requireIdempotencyKey(header: string | undefined): string {
  if (header === undefined) {
    throw new StockroomError(
      'IDEMPOTENCY_KEY_REQUIRED',
      'Missing header Idempotency-Key. POST and PATCH require it; use a new value for every change.',
    );
  }
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

/** Rejects a key that another request is using right now. */
export function lockIdempotencyKey(call: OperationCall): undefined {
  const { activeIdempotencyKeys } = call.target.service;
  const name = `${call.caller.tenant.id} ${call.idempotency!.replyId}`;
  if (activeIdempotencyKeys.has(name)) {
    throw new StockroomError('IDEMPOTENCY_IN_PROGRESS', 'A request with this Idempotency-Key is still running.', {
      headers: { 'retry-after': '1' },
    });
  }
  activeIdempotencyKeys.add(name);
  call.lockedKey = name;
}

/** To be called at the end of every write, however it ends. */
export function unlockIdempotencyKey({ target, lockedKey }: OperationCall): void {
  if (lockedKey !== undefined) target.service.activeIdempotencyKeys.delete(lockedKey);
}

/** Ends the operation with the reply of an earlier request that had the same key. */
export async function findStoredReply(call: OperationCall, tx: Tx): Promise<undefined> {
  const { target, idempotency } = call;
  const { replyId, earlierReplyId } = idempotency!;
  const stored = (await tx.idempotency.get(replyId)) ?? (earlierReplyId && (await tx.idempotency.get(earlierReplyId)));
  if (!stored || isReplyExpired(stored, tx.now)) return;
  if (stored.fingerprint !== idempotency!.fingerprint) {
    throw new StockroomError('CONFLICT', 'This Idempotency-Key was used with a different request. Use a new key for a new change.');
  }
  const { status, location, body, etag } = stored;
  call.reply = {
    status,
    location,
    body,
    ...(typeof etag === 'string' ? { etag } : {}),
    ...(target.operation.shownOnce ? { noStore: true as const } : {}),
    replayed: true,
  };
  call.isFinished = true;
}

/** Stores a successful reply in the commit of the change. Only 2xx replies get here: a rejected request throws and stores nothing. */
export async function storeReply({ target, idempotency, reply }: OperationCall, tx: Tx): Promise<undefined> {
  const { status, location = null, etag = null, body } = reply!;
  const { shownOnce } = target.operation;
  await tx.idempotency.put({
    id: idempotency!.replyId,
    fingerprint: idempotency!.fingerprint,
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
