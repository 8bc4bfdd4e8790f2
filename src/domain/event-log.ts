/** The change log keeps the newest events; consumers resume by position. */
import { EVENT_LOG_DAYS, EVENT_LOG_MAX_ROWS } from '../contract/limits.ts';
import type { ReadTx, Tx } from './tables.ts';

/** The counter that holds the newest position ever removed: up to there the log may have gaps. */
export const EVENTS_DROPPED = 'events.dropped';

export interface EventPurge {
  readonly removed: number;
  /** Where the next part begins; undefined: there is no more to remove. */
  readonly next: number | undefined;
}

/** Looks at `limit` events from a position on and removes those that are too old or too many, but none that a delivery still has to send. */
export async function purgeEvents(tx: Tx, now: Date, limit: number, from = 0, keep: ReadonlySet<string> = new Set()): Promise<EventPurge> {
  const [newest] = (await tx.events.after({ descending: true, limit: 1 })).rows;
  if (!newest) return { removed: 0, next: undefined };
  const oldest = new Date(now.getTime() - EVENT_LOG_DAYS * 86_400_000).toISOString();
  const { rows } = await tx.events.after({ where: [{ field: 'position', from, before: newest.position }], limit });
  const surplus = rows.filter(({ position, occurredAt }) => position <= newest.position - EVENT_LOG_MAX_ROWS || occurredAt < oldest);
  const free = surplus.filter(({ id }) => !keep.has(id));
  for (const { id } of free) await tx.events.remove(id);
  const dropped = (await tx.counters.get(EVENTS_DROPPED))?.value ?? 0;
  const newestFree = free.at(-1)?.position ?? 0;
  if (newestFree > dropped) await tx.counters.put({ id: EVENTS_DROPPED, value: newestFree });
  const last = surplus.at(-1);
  return { removed: free.length, next: last && surplus.length === limit ? last.position + 1 : undefined };
}

const PAGE = 1_000;

/** The events that open deliveries refer to, read a page at a time so that other work gets its turn. */
export async function eventsToSend(read: <T>(work: (tx: ReadTx) => Promise<T>) => Promise<T>): Promise<Set<string>> {
  const ids = new Set<string>();
  for (let after: { values: (string | null)[]; id: string } | undefined; ;) {
    const position = after ? { after } : {};
    // Whatever has a queue is open.
    const open = { orderBy: 'queue', where: [{ field: 'queue', from: '' }], limit: PAGE, ...position };
    const { rows, more } = await read((tx) => tx.deliveries.after(open));
    for (const { eventId } of rows) ids.add(eventId);
    const last = rows.at(-1);
    if (!more || !last) return ids;
    after = { values: [last.queue, last.dueAt], id: last.id };
  }
}
