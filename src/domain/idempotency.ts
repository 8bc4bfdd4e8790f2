/** Stored replies of writes, by key of the caller. decisions-api §3. */
import { hash } from 'node:crypto';
import { IDEMPOTENCY_VALIDITY_H } from '../contract/limits.ts';
import type { Tx } from './tables.ts';

export interface IdempotencyRecord {
  /** `replyId`: what the key means within the tenant. */
  readonly id: string;
  readonly fingerprint: string;
  readonly status: number;
  readonly location: string | null;
  /** The reply's body, without secrets that are shown once. */
  readonly body: string;
  readonly createdAt: string;
  readonly expiresAt: string;
}

/** One caller's key: two API keys of a tenant never see each other's replies. */
export const replyId = (apiKeyId: string, idempotencyKey: string): string => hash('sha256', `${apiKeyId}\n${idempotencyKey}`);

/** What makes two requests the same: method, path, sorted query, and the body whatever the order of its keys. */
export function fingerprint(method: string, path: string, query: Readonly<Record<string, unknown>>, body: unknown): string {
  return hash('sha256', `${method} ${path}\n${canonical(query)}\n${canonical(body)}`);
}

/** The instant until which a reply stored now is replayed. */
export function expiryOf(now: Date): string {
  const at = now.getTime();
  // Replies of one millisecond are many: writing the instant out costs more than looking whether it is the same.
  if (at !== lastExpiry.of) lastExpiry = { of: at, text: new Date(at + IDEMPOTENCY_VALIDITY_H * 3_600_000).toISOString() };
  return lastExpiry.text;
}
let lastExpiry = { of: Number.NaN, text: '' };

/** Removes at most `limit` expired replies; returns how many there were. */
export async function purgeReplies(tx: Tx, now: Date, limit: number): Promise<number> {
  const { rows } = await tx.idempotency.after({ where: [{ field: 'expiresAt', to: now.toISOString() }], orderBy: 'expires_at', limit });
  for (const row of rows) await tx.idempotency.remove(row.id);
  return rows.length;
}

/** JSON with the keys of every object in order. */
const canonical = (value: unknown): string => (value === undefined ? '' : JSON.stringify(ordered(value)));

/** The value with the keys of every object in order. */
function ordered(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(ordered);
  const fields = value as Readonly<Record<string, unknown>>;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(fields).sort()) {
    const part = ordered(fields[key]);
    // Set, it would be no key.
    if (key === '__proto__') Object.defineProperty(copy, key, { value: part, enumerable: true });
    else copy[key] = part;
  }
  return copy;
}
