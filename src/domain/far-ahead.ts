/**
 * What was promised while the clock stood ahead. Once it has been put right, a retry of then would wait for years, and a reply or a key
 * would be good for years: nothing may wait or last longer from now than it may when it is made.
 */
import { CODE_GRANT_KEY_DAYS, OAUTH_CODE_MEMORY_H, ROTATION_OVERLAP_H, WEBHOOKS_CEILING } from '../contract/limits.ts';
import { openOf } from './deliveries.ts';
import { expiryOf } from './idempotency.ts';
import type { Tx } from './tables.ts';

const HOUR_MS = 3_600_000;
const after = (now: Date, hours: number): string => new Date(now.getTime() + hours * HOUR_MS).toISOString();

/** Brings back at most `limit` stored replies of a tenant; returns how many there were. */
export async function shortenReplies(tx: Tx, now: Date, limit: number): Promise<number> {
  const expiresAt = expiryOf(now);
  const { rows } = await tx.idempotency.after({ where: [{ field: 'expiresAt', after: expiresAt }], orderBy: 'expires_at', limit });
  await tx.idempotency.putMany(rows.map((row) => ({ ...row, expiresAt })));
  return rows.length;
}

/** Makes at most about `limit` deliveries of a tenant due that were recorded or tried later than now, and sets its endpoints right. */
export async function hastenDeliveries(tx: Tx, now: Date, limit: number): Promise<number> {
  const at = now.toISOString();
  const overlap = after(now, ROTATION_OVERLAP_H);
  let found = 0;
  for (const webhook of (await tx.webhooks.after({ limit: WEBHOOKS_CEILING })).rows) {
    const { id, pausedAt, previous } = webhook;
    const paused = pausedAt !== null && pausedAt > at;
    const overlaps = previous !== null && previous.until > overlap;
    if (paused || overlaps) {
      await tx.webhooks.put({
        ...webhook,
        pausedAt: paused ? at : pausedAt,
        previous: overlaps ? { ...previous, until: overlap } : previous,
      });
    }
    const health = await tx.webhookHealth.get(id);
    if (health && health.failingSince > at) await tx.webhookHealth.put({ ...health, failingSince: at });
    if (found >= limit) continue;
    const where = [openOf(id), { field: 'dueAt', after: at }, { field: 'updatedAt', after: at }];
    const { rows } = await tx.deliveries.after({ orderBy: 'queue', where, limit });
    await tx.deliveries.putMany(rows.map((row) => ({ ...row, dueAt: at })));
    found += rows.length;
  }
  return found;
}

/** No key of an application is good for longer than the longest that is issued, and no code is remembered for longer than codes are. */
export async function shortenGrants(tx: Tx, now: Date, limit: number): Promise<number> {
  const expiresAt = after(now, CODE_GRANT_KEY_DAYS * 24);
  const tooLong = [
    { field: 'applicationId', from: '' },
    { field: 'expiresAt', after: expiresAt },
  ];
  const keys = (await tx.apiKeys.after({ where: tooLong, limit })).rows;
  await tx.apiKeys.putMany(keys.map((key) => ({ ...key, expiresAt })));
  const forgotten = [{ field: 'forgetAt', after: after(now, OAUTH_CODE_MEMORY_H) }];
  const codes = (await tx.oauthCodes.after({ where: forgotten, limit })).rows;
  for (const { id } of codes) await tx.oauthCodes.remove(id);
  return Math.max(keys.length, codes.length);
}
