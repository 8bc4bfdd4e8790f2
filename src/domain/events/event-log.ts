/** Retention of the change log, which keeps the newest events. Consumers resume by position. */
import { EVENT_LOG_DAYS, EVENT_LOG_MAX_ROWS } from '../../contract/limits.ts';
import type { Condition } from '../kernel/ports.ts';
import type { ReadTx, Tx } from '../tables.ts';

/** The counter with the newest purged position; up to there the log may have gaps. */
export const NEWEST_PURGED_EVENT = 'events.dropped';

/** How long events are kept: the newest `maxRows` of a tenant, for `days`. */
export interface EventRetention {
  readonly maxRows: number;
  readonly days: number;
}
export const DEFAULT_EVENT_RETENTION: EventRetention = { maxRows: EVENT_LOG_MAX_ROWS, days: EVENT_LOG_DAYS };

/** Matches the last events of tenants that may have too many. */
export const whereBeyondMaxEvents = ({ maxRows }: EventRetention): Condition => ({ field: 'position', after: maxRows });

/** Matches events that are too old; the newest one of a tenant is kept nevertheless. */
export const whereEventExpired = (now: Date, retention: EventRetention): Condition => ({
  field: 'occurredAt',
  before: getOldestKept(now, retention),
});

const getOldestKept = (now: Date, { days }: EventRetention): string => new Date(now.getTime() - days * 86_400_000).toISOString();

export interface EventPurge {
  readonly removed: number;
  /** The position to continue from; undefined when nothing is left to purge. */
  readonly next: number | undefined;
}

export interface EventPurgeOptions {
  /** Events to look at. */
  readonly limit: number;
  readonly retention: EventRetention;
  /** Position of the first of them. */
  readonly from?: number;
  /** Ids of events that still have to be delivered. */
  readonly keep?: ReadonlySet<string>;
}

/** Removes events that are too old or too many, but not those to keep. */
export async function purgeEvents(tx: Tx, now: Date, options: EventPurgeOptions): Promise<EventPurge> {
  const { limit, retention, from = 0, keep = new Set() } = options;
  const [newest] = (await tx.events.listAfter({ descending: true, limit: 1 })).rows;
  if (!newest) return { removed: 0, next: undefined };
  const oldestKept = getOldestKept(now, retention);
  const { rows } = await tx.events.listAfter({ where: [{ field: 'position', from, before: newest.position }], limit });
  const surplus = rows.filter(({ position, occurredAt }) => position <= newest.position - retention.maxRows || occurredAt < oldestKept);
  const removable = surplus.filter(({ id }) => !keep.has(id));
  for (const { id } of removable) await tx.events.remove(id);
  const newestPurged = (await tx.counters.get(NEWEST_PURGED_EVENT))?.value ?? 0;
  const newestRemoved = removable.at(-1)?.position ?? 0;
  if (newestRemoved > newestPurged) await tx.counters.put({ id: NEWEST_PURGED_EVENT, value: newestRemoved });
  const last = surplus.at(-1);
  return { removed: removable.length, next: last && surplus.length === limit ? last.position + 1 : undefined };
}

const PAGE_SIZE = 1_000;

/** The ids of events with open deliveries. Each page is a separate read, so that other work can run in between. */
export async function listPendingEventIds(read: <T>(work: (tx: ReadTx) => Promise<T>) => Promise<T>): Promise<Set<string>> {
  const ids = new Set<string>();
  for (let after: { values: (string | null)[]; id: string } | undefined; ;) {
    const position = after ? { after } : {};
    // Only open deliveries have a queue.
    const open = { orderBy: 'queue', where: [{ field: 'queue', from: '' }], limit: PAGE_SIZE, ...position };
    const { rows, more } = await read((tx) => tx.deliveries.listAfter(open));
    for (const { eventId } of rows) ids.add(eventId);
    const last = rows.at(-1);
    if (!more || !last) return ids;
    after = { values: [last.queue, last.dueAt], id: last.id };
  }
}
