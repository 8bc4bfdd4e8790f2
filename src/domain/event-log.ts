/** The change log keeps the newest events; consumers resume by position. */
import { EVENT_LOG_DAYS, EVENT_LOG_MAX_ROWS } from '../contract/limits.ts';
import type { Tx } from './tables.ts';

/** Removes at most `limit` events that are too old or too many; returns how many there were. */
export async function purgeEvents(tx: Tx, now: Date, limit: number): Promise<number> {
  const [newest] = (await tx.events.after({ descending: true, limit: 1 })).rows;
  if (!newest) return 0;
  const oldest = new Date(now.getTime() - EVENT_LOG_DAYS * 86_400_000).toISOString();
  const { rows } = await tx.events.after({ where: [{ field: 'position', before: newest.position }], limit });
  const surplus = rows.filter(({ position, occurredAt }) => position <= newest.position - EVENT_LOG_MAX_ROWS || occurredAt < oldest);
  for (const { id } of surplus) await tx.events.remove(id);
  return surplus.length;
}
