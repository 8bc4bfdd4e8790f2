/** Reads the change log page by page, to its end or without end. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../client/client.ts';
import { ApiError, Unreachable, isOutage } from '../../client/errors.ts';
import { describeOutage } from '../session/outage.ts';
import { EVENTS_LIMIT_MAX, EVENTS_WAIT_MAX_S } from '../../contract/limits.ts';
import { type ChangeEventEntry, listEvents } from '../../contract/resources/events.ts';

type Query = Readonly<Record<string, string | undefined>>;

export interface EventPage {
  readonly rows: readonly ChangeEventEntry[];
  /** The position after the rows. */
  readonly nextCursor: string;
  readonly hasMore: boolean;
}

/** Yields the pages up to the end of the log, with at most `limit` events. */
export async function* readToEnd(client: Client, query: Query, limit: number): AsyncGenerator<EventPage> {
  let count = 0;
  for (let next = query; ;) {
    const page = await readPage(client, { ...next, limit: String(Math.min(limit - count, EVENTS_LIMIT_MAX)) });
    count += page.rows.length;
    yield page;
    if (!page.hasMore || count >= limit) return;
    next = { ...query, since: undefined, wait: undefined, cursor: page.nextCursor };
  }
}

const RETRY_MS = 1_000;

/** Yields pages for ever: each request waits for the next event. After the first response, waits for a service that no longer responds. */
export async function* follow(client: Client, query: Query, printNote: (text: string) => void): AsyncGenerator<EventPage> {
  let isFirst = true;
  let isLost = false;
  for (let next = query; ;) {
    try {
      const page = await readPage(client, { ...next, limit: String(EVENTS_LIMIT_MAX), wait: String(EVENTS_WAIT_MAX_S) });
      next = { ...query, since: undefined, cursor: page.nextCursor };
      if (isLost) printNote('The service responds again');
      isLost = false;
      isFirst = false;
      yield page;
    } catch (error) {
      if (error instanceof ApiError && error.code === 'CURSOR_EXPIRED') {
        printNote('Events were removed, or the data was replaced; continuing with the oldest kept event');
        next = { ...query, since: undefined, cursor: '' };
      } else {
        if ((isFirst && error instanceof Unreachable) || !isOutage(error)) throw error;
        if (!isLost) printNote(`${describeOutage(error)}; retrying`);
        isLost = true;
        await sleep(RETRY_MS);
      }
    }
  }
}

async function readPage(client: Client, query: Query): Promise<EventPage> {
  const { body } = await client.perform(listEvents, { query });
  return { rows: body.data, ...body.pagination };
}
