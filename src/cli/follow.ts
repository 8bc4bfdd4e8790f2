/** Deliveries as they change, without a gap: first what the store has since some time, then what the daemon tells, again after each break. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../client/client.ts';
import { Unreachable } from '../client/errors.ts';
import { queryText } from '../client/request.ts';
import { openStream } from '../client/stream.ts';
import { FEED_PATH, type OwnedDelivery, tailDeliveries } from '../contract/admin/webhooks.ts';
import type { DaemonState } from '../contract/places.ts';
import { timeOf } from './since.ts';

export interface FollowOptions {
  /** The daemon as it is now; throws while there is none. */
  daemon(): DaemonState;
  connect(): Promise<Client>;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly since: string | undefined;
  readonly note: (text: string) => void;
  /** Tells a person how long an answer takes. */
  awaiting<T>(answer: Promise<T>): Promise<T>;
}

const AGAIN_MS = 500;
const BACKFILL_MAX = 10_000;
/** Attempts are recorded in the order in which they end, not quite in that of their times: as late as the longest one takes. */
const OVERLAP_MS = 60_000;

export async function* followDeliveries({ daemon, connect, query, since, note, awaiting }: FollowOptions): AsyncGenerator<OwnedDelivery> {
  const seen = seenStates();
  /** Nothing from before it is told. */
  let first = since;
  let from = since;
  let lastId: string | undefined;
  let lost: boolean | undefined;
  const missed = async (after: string): Promise<OwnedDelivery[]> => {
    const asked = { query: { ...query, since: after, limit: BACKFILL_MAX } };
    const { data } = (await awaiting((await connect()).perform(tailDeliveries, asked))).body;
    if (data.length === BACKFILL_MAX) note(`more than ${String(BACKFILL_MAX)} deliveries changed; the oldest of them are left out`);
    return data.filter((row) => seen.isNews(row));
  };
  for (;;) {
    try {
      const { adminSocket } = daemon();
      if (lost === true && from !== undefined) {
        const now = (await awaiting(timeOf(await connect()))).toISOString();
        // A crash puts a test clock back: what happened since then has earlier times than what was heard before.
        if (now < from) [from, first] = [now, undefined];
      }
      from ??= await awaiting(begin(connect, query, seen));
      const path = FEED_PATH + queryText({ tenant: query['tenant'], types: 'delivery' });
      const stream = await awaiting(openStream(adminSocket, path, lastId));
      try {
        if (lost !== false) note(lost ? 'connected again' : 'following deliveries; Ctrl-C ends it');
        lost = false;
        // The stream is open by now, so between it and this list nothing can fall. Once something was heard, the stream says itself
        // whether there is a gap.
        if (lastId === undefined) for (const row of await missed(overlapped(from, first))) yield row;
        for await (const { id, event, data } of stream.messages) {
          if (event === 'gap') for (const row of await missed(overlapped(from, first))) yield row;
          lastId = id;
          if (event !== 'delivery') continue;
          const row = data as OwnedDelivery;
          from = row.updatedAt > from ? row.updatedAt : from;
          if (matches(row, query) && seen.isNewsInStream(row)) yield row;
        }
      } finally {
        // Who has heard enough of the past has not come to the messages, whose end would close it.
        stream.close();
      }
    } catch (error) {
      // One that hangs from the beginning is told as every other command tells it.
      if (!(error instanceof Unreachable) || (lost === undefined && error.afterSending)) throw error;
    }
    if (lost !== true) note('the daemon does not answer; waiting for it');
    lost = true;
    await sleep(AGAIN_MS);
  }
}

/** What is there at the beginning is no news. By the times of the service: its clock may be another one. Returns the latest of them. */
async function begin(connect: FollowOptions['connect'], query: FollowOptions['query'], seen: Seen): Promise<string> {
  const { data } = (await (await connect()).perform(tailDeliveries, { query: { ...query, limit: BACKFILL_MAX } })).body;
  let latest = new Date(0).toISOString();
  for (const row of data) {
    seen.isNews(row);
    if (row.updatedAt > latest) latest = row.updatedAt;
  }
  return latest;
}

/** An instant a little before `from`, never before `since`. */
export function overlapped(from: string, since: string | undefined): string {
  const earlier = new Date(Math.max(0, Date.parse(from) - OVERLAP_MS)).toISOString();
  return since !== undefined && earlier < since ? since : earlier;
}

type State = Pick<OwnedDelivery, 'id' | 'status' | 'attempts' | 'updatedAt'>;

interface Seen {
  /** Whether the delivery has not been seen in this state; from then on it has. For rows of a list, which is newer than all before it. */
  isNews(row: State): boolean;
  /** The same for a message, which may have waited since before the list was made: older states are no news either. */
  isNewsInStream(row: State): boolean;
}

/** Bounded: whoever follows for weeks does not need the states of the first day. */
export function seenStates(max: number = 4 * BACKFILL_MAX): Seen {
  const seen = new Map<string, State & { readonly listed: boolean }>();
  const remember = ({ id, status, attempts, updatedAt }: State, listed: boolean): boolean => {
    const last = seen.get(id);
    seen.delete(id);
    seen.set(id, { id, status, attempts, updatedAt, listed });
    if (seen.size > max) for (const [oldest] of seen.entries().take(seen.size - max)) seen.delete(oldest);
    return last?.status !== status || last.attempts !== attempts || last.updatedAt !== updatedAt;
  };
  return {
    isNews: (row) => remember(row, true),
    isNewsInStream(row) {
      const last = seen.get(row.id);
      // Messages among themselves are in order. Their times need not be: a test clock may be set back.
      return last?.listed && isOlder(row, last) ? false : remember(row, false);
    },
  };
}

const rankOf = ({ status }: State): number => (status === 'pending' ? 0 : status === 'retrying' ? 1 : 2);

/** Attempts first: whatever the clock says, they never become fewer. */
function isOlder(one: State, other: State): boolean {
  if (one.attempts !== other.attempts) return one.attempts < other.attempts;
  if (one.updatedAt !== other.updatedAt) return one.updatedAt < other.updatedAt;
  return rankOf(one) < rankOf(other);
}

const matches = (row: Pick<OwnedDelivery, 'webhookId' | 'status' | 'eventType'>, query: FollowOptions['query']): boolean =>
  (query['webhook_id'] ?? row.webhookId) === row.webhookId &&
  (query['status'] ?? row.status) === row.status &&
  (query['event_type'] ?? row.eventType) === row.eventType;
