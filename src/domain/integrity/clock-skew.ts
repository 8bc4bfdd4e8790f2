/**
 * Corrects timestamps written while the clock was ahead. After the clock is corrected, retries would wait for years and keys would be valid
 * for years, so each due or expiry time is limited to what it could be if written now.
 */
import { AUTHORIZATION_CODE_KEY_DAYS, OAUTH_CODE_RETENTION_H, ROTATION_OVERLAP_H, WEBHOOKS_CEILING } from '../../contract/limits.ts';
import { whereOpen } from '../events/deliveries.ts';
import type { Condition } from '../kernel/ports.ts';
import { getReplyExpiry } from '../idempotency/stored-replies.ts';
import type { Tx } from '../tables.ts';

const HOUR_MS = 3_600_000;
const toTimestampIn = (now: Date, hours: number): string => new Date(now.getTime() + hours * HOUR_MS).toISOString();

/** Matches stored replies that expire later than one that is stored now. */
export const whereReplyExpiresLate = (now: Date): Condition => ({ field: 'expiresAt', after: getReplyExpiry(now) });

/** Limits the expiry of at most `limit` stored idempotent replies of a tenant. Returns how many were changed. */
export async function clampReplyExpiry(tx: Tx, now: Date, limit: number): Promise<number> {
  const expiresAt = getReplyExpiry(now);
  const { rows } = await tx.idempotency.listAfter({ where: [whereReplyExpiresLate(now)], orderBy: 'expires_at', limit });
  await tx.idempotency.putMany(rows.map((row) => ({ ...row, expiresAt })));
  return rows.length;
}

/** Makes about `limit` deliveries due that have timestamps in the future, and corrects the tenant's endpoints. Returns how many were changed. */
export async function clampDeliveryTimes(tx: Tx, now: Date, limit: number): Promise<number> {
  const at = now.toISOString();
  const overlap = toTimestampIn(now, ROTATION_OVERLAP_H);
  let changedCount = 0;
  for (const webhook of (await tx.webhooks.listAfter({ limit: WEBHOOKS_CEILING })).rows) {
    const { id, pausedAt, previous } = webhook;
    const isPausedInFuture = pausedAt !== null && pausedAt > at;
    const isOverlapTooLong = previous !== null && previous.until > overlap;
    if (isPausedInFuture || isOverlapTooLong) {
      await tx.webhooks.put({
        ...webhook,
        pausedAt: isPausedInFuture ? at : pausedAt,
        previous: isOverlapTooLong ? { ...previous, until: overlap } : previous,
      });
    }
    const health = await tx.webhookHealth.get(id);
    if (health && health.failingSince > at) await tx.webhookHealth.put({ ...health, failingSince: at });
    if (changedCount >= limit) continue;
    const where = [whereOpen(id), { field: 'dueAt', after: at }, { field: 'updatedAt', after: at }];
    const { rows } = await tx.deliveries.listAfter({ orderBy: 'queue', where, limit });
    await tx.deliveries.putMany(rows.map((row) => ({ ...row, dueAt: at })));
    changedCount += rows.length;
  }
  return changedCount;
}

/** Limits the lifetime of application keys and rotated keys, and removes authorization codes that would be kept too long; at most `limit` of each. */
export async function clampGrantExpiry(tx: Tx, now: Date, limit: number): Promise<number> {
  const issuedKeys = await clampKeyExpiry(tx, 'applicationId', toTimestampIn(now, AUTHORIZATION_CODE_KEY_DAYS * 24), limit);
  const rotatedKeys = await clampKeyExpiry(tx, 'replacedBy', toTimestampIn(now, ROTATION_OVERLAP_H), limit);
  const rememberedTooLong = [{ field: 'forgetAt', after: toTimestampIn(now, OAUTH_CODE_RETENTION_H) }];
  const codes = (await tx.oauthCodes.listAfter({ where: rememberedTooLong, limit })).rows;
  for (const { id } of codes) await tx.oauthCodes.remove(id);
  return Math.max(issuedKeys, rotatedKeys, codes.length);
}

/** Limits the expiry of at most `limit` keys that have a value in this field. Returns how many were changed. */
async function clampKeyExpiry(tx: Tx, field: 'applicationId' | 'replacedBy', expiresAt: string, limit: number): Promise<number> {
  const expiresTooLate = [
    { field, from: '' },
    { field: 'expiresAt', after: expiresAt },
  ];
  const keys = (await tx.apiKeys.listAfter({ where: expiresTooLate, limit })).rows;
  await tx.apiKeys.putMany(keys.map((key) => ({ ...key, expiresAt })));
  return keys.length;
}
