/** Follows deliveries without gaps: first a list of those since some time, then the events of the daemon; again after each disconnection. */
import type { Client } from '../../client/client.ts';
import { Unreachable, isOutage } from '../../client/errors.ts';
import { toQueryString } from '../../client/request.ts';
import { openEventStream } from '../../client/event-stream.ts';
import { FEED_PATH, type OwnedDelivery, tailDeliveries } from '../../contract/admin/webhooks.ts';
import type { DaemonState } from '../../platform/daemon-state.ts';
import { readServiceClock } from '../input/timestamp.ts';
import { withWaitIndicator } from '../output/wait-indicator.ts';
import { followDaemon } from '../session/follow-daemon.ts';

export interface FollowOptions {
  /** The current state of the daemon; throws Unreachable if none is running. */
  getDaemon(): DaemonState;
  connect(): Promise<Client>;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly since: string | undefined;
  /** Ends after the recorded deliveries. */
  readonly isOnce: boolean;
  readonly printNote: (text: string) => void;
}

const BACKFILL_MAX = 10_000;
/** Attempts are recorded when they end, so their times may be out of order by the duration of the longest attempt. */
const OVERLAP_MS = 60_000;

export async function* followDeliveries({
  getDaemon,
  connect,
  query,
  since,
  isOnce,
  printNote,
}: FollowOptions): AsyncGenerator<OwnedDelivery> {
  const seen = createSeenStates();
  /** Nothing before it is reported. */
  let earliest = since;
  let from = since;
  let lastId: string | undefined;
  const listMissed = async (after: string): Promise<OwnedDelivery[]> => {
    const asked = { query: { ...query, since: after, limit: BACKFILL_MAX } };
    const { data } = (await withWaitIndicator((await connect()).perform(tailDeliveries, asked))).body;
    if (data.length === BACKFILL_MAX) printNote(`More than ${String(BACKFILL_MAX)} deliveries changed; the oldest are omitted`);
    return data.filter((row) => seen.isNew(row));
  };
  if (isOnce) {
    yield* await listMissed(since ?? new Date(0).toISOString());
    return;
  }
  yield* followDaemon({
    async *follow(reportConnected, isLost) {
      const { adminSocket, url } = getDaemon();
      if (isLost && from !== undefined) {
        const now = (await withWaitIndicator(readServiceClock(await connect()))).toISOString();
        // A crash sets a test clock back: later changes then have earlier times than those already received.
        if (now < from) [from, earliest] = [now, undefined];
      }
      from ??= await withWaitIndicator(readExisting(connect, query, seen));
      const path = FEED_PATH + toQueryString({ tenant: query['tenant'], types: 'delivery' });
      using stream = await withWaitIndicator(openEventStream(adminSocket, path, { lastId }));
      reportConnected(url);
      // The stream is already open, so nothing is lost between it and this list. After the first message, the stream reports gaps itself.
      if (lastId === undefined) yield* await listMissed(subtractOverlap(from, earliest));
      for await (const { id, event, data } of stream.messages) {
        if (event === 'gap') yield* await listMissed(subtractOverlap(from, earliest));
        lastId = id;
        if (event !== 'delivery') continue;
        const row = data as OwnedDelivery;
        from = row.updatedAt > from ? row.updatedAt : from;
        if (matches(row, query) && seen.isNewInStream(row)) yield row;
      }
    },
    // A daemon that hangs or fails from the start is an error, as for other commands.
    isRetried: (error, isFirstAttempt) => (isFirstAttempt ? error instanceof Unreachable && !error.afterSending : isOutage(error)),
    startNote: 'Following deliveries. Press Ctrl-C to stop',
    printNote,
  });
}

/** Marks the existing deliveries as seen. Returns the time of the latest, by the clock of the service. */
async function readExisting(connect: FollowOptions['connect'], query: FollowOptions['query'], seen: SeenStates): Promise<string> {
  const { data } = (await (await connect()).perform(tailDeliveries, { query: { ...query, limit: BACKFILL_MAX } })).body;
  let latest = new Date(0).toISOString();
  for (const row of data) {
    seen.isNew(row);
    if (row.updatedAt > latest) latest = row.updatedAt;
  }
  return latest;
}

/** Returns a time before `from` by the overlap, but not before `since`. */
export function subtractOverlap(from: string, since: string | undefined): string {
  const earlier = new Date(Math.max(0, Date.parse(from) - OVERLAP_MS)).toISOString();
  return since !== undefined && earlier < since ? since : earlier;
}

type State = Pick<OwnedDelivery, 'id' | 'status' | 'attempts' | 'updatedAt'>;

type SeenStates = ReturnType<typeof createSeenStates>;

/** Remembers the latest state of up to `max` deliveries. */
export function createSeenStates(max: number = 4 * BACKFILL_MAX) {
  const seen = new Map<string, State & { readonly listed: boolean }>();
  const remember = ({ id, status, attempts, updatedAt }: State, listed: boolean): boolean => {
    const last = seen.get(id);
    seen.delete(id);
    seen.set(id, { id, status, attempts, updatedAt, listed });
    if (seen.size > max) for (const [oldest] of seen.entries().take(seen.size - max)) seen.delete(oldest);
    return last?.status !== status || last.attempts !== attempts || last.updatedAt !== updatedAt;
  };
  return {
    /** Whether the delivery was not yet seen in this state; marks it as seen. For rows of a list, which is newer than everything before it. */
    isNew: (row: State): boolean => remember(row, true),
    /** The same for a message of the stream, which may be older than the list: states older than the listed one are not new. */
    isNewInStream(row: State): boolean {
      const last = seen.get(row.id);
      // Messages are in order, but their times may not be: a test clock can be set back.
      return last?.listed && isOlder(row, last) ? false : remember(row, false);
    },
  };
}

const getRank = ({ status }: State): number => (status === 'pending' ? 0 : status === 'retrying' ? 1 : 2);

/** Compares attempts first, because their number never decreases, whatever the clock does. */
function isOlder(one: State, other: State): boolean {
  if (one.attempts !== other.attempts) return one.attempts < other.attempts;
  if (one.updatedAt !== other.updatedAt) return one.updatedAt < other.updatedAt;
  return getRank(one) < getRank(other);
}

const matches = (row: Pick<OwnedDelivery, 'webhookId' | 'status' | 'eventType'>, query: FollowOptions['query']): boolean =>
  (query['webhook_id'] ?? row.webhookId) === row.webhookId &&
  includes(query['status'], row.status) &&
  includes(query['event_type'], row.eventType);

const includes = (filter: string | undefined, value: string): boolean => filter?.split(',').includes(value) ?? true;
