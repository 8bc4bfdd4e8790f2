/** The requests that the daemon receives from now on, without those that the feed alone would miss: while it is opened, and in its gaps. */
import type { StreamMessage } from '../../client/event-stream.ts';
import { isOutage } from '../../client/errors.ts';
import { GAP } from '../session/follow-feed.ts';
import type { FollowedRequest, RequestRow } from '../settings/request-log.ts';

interface Latest {
  /** Returns the latest requests, oldest first. */
  readonly read: () => Promise<readonly RequestRow[]>;
  /** What it returned before the feed was opened. */
  readonly seen: readonly RequestRow[];
  /** Those of them that come first. */
  readonly past: readonly RequestRow[];
}

/** `messages`: the feed, with its gaps. */
export async function* followRequests(
  messages: AsyncIterable<StreamMessage>,
  { read, seen, past }: Latest,
): AsyncGenerator<FollowedRequest> {
  for (const row of past) yield toFollowed(row);
  let lastId = seen.at(-1)?.id;
  /** What the list had at the last gap, which the feed may send, too. */
  let listed: ReadonlySet<string> = new Set();
  for await (const { id, event, data } of messages) {
    if (event !== GAP) {
      if (listed.has(id)) continue;
      lastId = id;
      yield data as FollowedRequest;
      continue;
    }
    // The daemon is lost again, and the feed will have another gap.
    const rows = await read().catch((error: unknown) => {
      if (isOutage(error)) return [];
      throw error;
    });
    const missed = rows.slice(rows.findIndex((row) => row.id === lastId) + 1);
    if (rows.length > 0) listed = new Set(rows.map((row) => row.id));
    lastId = rows.at(-1)?.id ?? lastId;
    for (const row of missed) yield toFollowed(row);
  }
}

/** As in the feed. */
const toFollowed = ({ id: _id, ...row }: RequestRow): FollowedRequest => row;
