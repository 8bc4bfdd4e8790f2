/**
 * Idempotent writes. decisions-api §3. A key that is being executed is known only in memory, so nothing can wedge after a crash;
 * the reply is stored in the same commit as the change, so after a crash either both are there or neither.
 */
import { IDEMPOTENCY_KEY_MAX_CHARS } from '../contract/limits.ts';
import { StockroomError } from '../domain/errors.ts';
import type { IdempotencyRecord } from '../domain/idempotency.ts';
import type { ReadTx } from '../domain/tables.ts';

const VISIBLE_ASCII = /^[\u0021-\u007e]+$/u;

/** The header's value, or a 400. */
export function idempotencyKeyOf(header: string | undefined): string {
  if (header === undefined) {
    throw new StockroomError(
      'IDEMPOTENCY_KEY_REQUIRED',
      'POST and PATCH need the header Idempotency-Key: any text of your choice, new for every new change.',
    );
  }
  if (header.length > IDEMPOTENCY_KEY_MAX_CHARS) {
    throw new StockroomError(
      'IDEMPOTENCY_KEY_INVALID',
      `Idempotency-Key has ${String(header.length)} characters; at most ${String(IDEMPOTENCY_KEY_MAX_CHARS)} are allowed.`,
    );
  }
  // Node joins a repeated header with ", ", and a blank is not visible.
  if (!VISIBLE_ASCII.test(header)) {
    throw new StockroomError(
      'IDEMPOTENCY_KEY_INVALID',
      'Idempotency-Key must be sent once, with 1 to 255 visible ASCII characters and no blanks.',
    );
  }
  return header;
}

/** The reply stored under `id`, if it is still valid; 409 when it belongs to another request. */
export async function storedReply(tx: ReadTx, id: string, fingerprint: string, now: Date): Promise<IdempotencyRecord | undefined> {
  const stored = await tx.idempotency.get(id);
  if (!stored || Date.parse(stored.expiresAt) <= now.getTime()) return undefined;
  if (stored.fingerprint !== fingerprint) {
    throw new StockroomError('CONFLICT', 'This Idempotency-Key was used before with another request; choose a new key for a new change.');
  }
  return stored;
}

/** Runs `work` unless the same key is being executed already. */
export async function exclusively<T>(running: Set<string>, id: string, work: () => Promise<T>): Promise<T> {
  if (running.has(id)) {
    throw new StockroomError('IDEMPOTENCY_IN_PROGRESS', 'A request with this Idempotency-Key is still running.', {
      headers: { 'retry-after': '1' },
    });
  }
  running.add(id);
  try {
    return await work();
  } finally {
    running.delete(id);
  }
}
