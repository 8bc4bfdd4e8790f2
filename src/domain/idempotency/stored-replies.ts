/** Stored replies of writes, by idempotency key. A-3. */
import { hash } from 'node:crypto';
import { IDEMPOTENCY_VALIDITY_H } from '../../contract/limits.ts';
import type { Tx } from '../tables.ts';
import type { Condition } from '../kernel/ports.ts';
import { toCanonicalJson } from '../kernel/canonical-json.ts';

/** The id of a stored reply. `scope` identifies who shares idempotency keys, see `getPrincipal`. */
export const toReplyId = (scope: string, idempotencyKey: string): string => hash('sha256', `${scope}\n${idempotencyKey}`);

/** Equal for requests with the same method, path, query and body, whatever the order of object keys. */
export function computeFingerprint(method: string, path: string, query: Readonly<Record<string, unknown>>, body: unknown): string {
  return hash('sha256', `${method} ${path}\n${toCanonicalJson(query)}\n${toCanonicalJson(body)}`);
}

/** When a reply that is stored now expires. */
export function getReplyExpiry(now: Date): string {
  const at = now.getTime();
  // Many replies share a millisecond, and formatting an instant costs more than comparing it.
  if (at !== lastExpiry.now) lastExpiry = { now: at, text: new Date(at + IDEMPOTENCY_VALIDITY_H * 3_600_000).toISOString() };
  return lastExpiry.text;
}
let lastExpiry = { now: Number.NaN, text: '' };

/** Whether a stored reply has expired, which includes the instant of its expiry. */
export const isReplyExpired = ({ expiresAt }: { readonly expiresAt: string }, now: Date): boolean => Date.parse(expiresAt) <= now.getTime();

/** Matches expired replies. */
export const whereReplyExpired = (now: Date): Condition => ({ field: 'expiresAt', to: now.toISOString() });

/** Removes up to `limit` expired replies and returns their number. */
export async function purgeReplies(tx: Tx, now: Date, limit: number): Promise<number> {
  const { rows } = await tx.idempotency.listAfter({ where: [whereReplyExpired(now)], orderBy: 'expires_at', limit });
  for (const row of rows) await tx.idempotency.remove(row.id);
  return rows.length;
}
