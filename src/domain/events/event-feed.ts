/** Reads the change log from a cursor on. Its positions are the order of the commits, so no event becomes visible before the cursor. */
import { type ChangeEvent, getEventScope } from '../../contract/change-events.ts';
import { EVENTS_SCANNED_MAX } from '../../contract/limits.ts';
import type { Scope } from '../../contract/scopes.ts';
import { StockroomError, invalidField } from '../kernel/errors.ts';
import type { ReadTx } from '../tables.ts';
import { NEWEST_PURGED_EVENT } from './event-log.ts';
import type { EventRecord } from './records.ts';

/** A position in the log, and the end of the id of the event there: another event has it after the data was replaced. */
interface FeedCursor {
  readonly position: number;
  readonly idEnd: string;
}

export interface FeedQuery {
  /** Empty: from the oldest kept event. `latest`: from the end. */
  readonly cursor: string;
  /** With an empty cursor: from the first event at or after this time. */
  readonly since: string | undefined;
  readonly types: readonly ChangeEvent[] | undefined;
  readonly resourceId: string | undefined;
  readonly scopes: readonly Scope[];
  readonly limit: number;
}

export interface FeedPage {
  readonly rows: readonly EventRecord[];
  readonly nextCursor: string;
  readonly hasMore: boolean;
}

/** Events that are read at once if the first ones did not match. */
const BATCH_SIZE = 500;
const ID_END_CHARS = 12;
const getIdEnd = (id: string): string => id.slice(-ID_END_CHARS);
const toCursor = ({ id, position }: EventRecord): FeedCursor => ({ position, idEnd: getIdEnd(id) });
const encodeCursor = ({ position, idEnd }: FeedCursor): string => Buffer.from(`${String(position)}.${idEnd}`).toString('base64url');

function decodeCursor(text: string): FeedCursor {
  const [position, idEnd = ''] = Buffer.from(text, 'base64url').toString().split('.');
  const cursor = { position: Number(position), idEnd };
  // Several texts decode to the same cursor; only the encoded one is valid.
  if (cursor.position >= 0 && encodeCursor(cursor) === text) return cursor;
  throw invalidField('/cursor', 'cursor must be empty, `latest` or the nextCursor of a previous page', 'bad_format', 'query');
}

/** The events after the cursor that match, at most `limit`. Reads a limited number of events; `nextCursor` is after the last of them. */
export async function readEventFeed(tx: ReadTx, query: FeedQuery): Promise<FeedPage> {
  const { limit } = query;
  const matches = createFilter(query);
  const start = await findStart(tx, query);
  const found: EventRecord[] = [];
  let at = start;
  for (let scanned = 0; ;) {
    // One more than asked for, because the page begins with the event of the cursor.
    const size = Math.min(scanned === 0 ? limit : Math.max(limit, BATCH_SIZE), EVENTS_SCANNED_MAX - scanned) + 1;
    const { rows, more } = await tx.events.listAfter({ where: [{ field: 'position', from: at.position }], limit: size });
    for (const [index, row] of rows.entries()) {
      if (row.position === at.position) {
        checkUnreplaced(at, row);
        at = toCursor(row);
        continue;
      }
      at = toCursor(row);
      scanned += 1;
      if (matches(row)) found.push(row);
      if (found.length === limit) return { rows: found, nextCursor: encodeCursor(at), hasMore: more || index < rows.length - 1 };
    }
    if (!more || scanned >= EVENTS_SCANNED_MAX) return { rows: found, nextCursor: encodeCursor(at), hasMore: more };
  }
}

function createFilter({ scopes, types, resourceId }: FeedQuery): (row: EventRecord) => boolean {
  const visible = new Map<ChangeEvent, boolean>();
  return (row) => {
    if (resourceId !== undefined && row.resourceId !== resourceId) return false;
    let isVisible = visible.get(row.event);
    if (isVisible === undefined) {
      isVisible = scopes.includes(getEventScope(row.event)) && (types?.includes(row.event) ?? true);
      visible.set(row.event, isVisible);
    }
    return isVisible;
  };
}

/** Where to start. Throws 410 if events after the cursor were purged, or if the cursor is of data that was replaced. */
async function findStart(tx: ReadTx, { cursor, since }: FeedQuery): Promise<FeedCursor> {
  const [purged, newest] = await Promise.all([tx.counters.get(NEWEST_PURGED_EVENT), tx.events.listAfter({ descending: true, limit: 1 })]);
  const oldest = { position: purged?.value ?? 0, idEnd: '' };
  const [last] = newest.rows;
  if (since !== undefined && cursor !== '') throw invalidField('/since', 'since requires an empty cursor', 'not_allowed', 'query');
  if (cursor === '') return since === undefined ? oldest : findTime(tx, since, oldest.position, last?.position ?? oldest.position);
  if (cursor === 'latest') return last ? toCursor(last) : oldest;
  const start = decodeCursor(cursor);
  if (start.position < oldest.position)
    throw createExpiredError('Events after the cursor were removed: their retention has ended, or the data was replaced.');
  if (start.position > (last?.position ?? oldest.position)) throw createReplacedError();
  return start;
}

/** The position before the first event at or after a time. Later events have later times, unless the clock was set back. */
async function findTime(tx: ReadTx, time: string, oldest: number, newest: number): Promise<FeedCursor> {
  let before = oldest;
  let found = newest + 1;
  while (found - before > 1) {
    const middle = Math.floor((before + found) / 2);
    const [row] = (await tx.events.listAfter({ where: [{ field: 'position', from: middle }], limit: 1 })).rows;
    if (row !== undefined && row.occurredAt < time) before = middle;
    else found = middle;
  }
  return { position: before, idEnd: '' };
}

/** An event that was purged leaves a cursor without an id to compare. */
function checkUnreplaced({ idEnd }: FeedCursor, row: EventRecord): void {
  if (idEnd !== '' && getIdEnd(row.id) !== idEnd) throw createReplacedError();
}

const createReplacedError = (): StockroomError => createExpiredError('The cursor is of data that has been replaced.');

const createExpiredError = (reason: string): StockroomError =>
  new StockroomError(
    'CURSOR_EXPIRED',
    `${reason} To follow events, get the cursor \`latest\`, read the lists again, and continue from that cursor; an empty cursor starts at the oldest kept event.`,
  );

export interface DeletionQuery {
  /** That of a deletion. */
  readonly event: ChangeEvent;
  /** Values that the data of the event has. */
  readonly where?: Readonly<Record<string, string>>;
  /** Deletions since this time. */
  readonly since: string;
  /** Continues after this position. */
  readonly after: number | undefined;
  readonly limit: number;
}

/** As `buildEventBody` writes it. */
const DELETION = ',"changes":["deleted"],';

/** Reads deletions from the log. `next`: the position after which to continue; undefined at the end of the log. */
export async function readDeletions(
  tx: ReadTx,
  { event, where = {}, since, after, limit }: DeletionQuery,
): Promise<{ deleted: { id: string; deletedAt: string }[]; next: number | undefined }> {
  const deleted: { id: string; deletedAt: string }[] = [];
  let at = await findDeletionStart(tx, since, after);
  for (let scanned = 0; ;) {
    const { rows, more } = await tx.events.listAfter({ where: [{ field: 'position', after: at }], limit: BATCH_SIZE });
    for (const row of rows) {
      at = row.position;
      if (row.event !== event || !row.body.includes(DELETION)) continue;
      const { data } = JSON.parse(row.body) as { data: Readonly<Record<string, unknown>> & { readonly deletedAt?: string } };
      if (Object.entries(where).some(([field, value]) => data[field] !== value)) continue;
      deleted.push({ id: row.resourceId, deletedAt: data.deletedAt ?? row.occurredAt });
      if (deleted.length === limit) return { deleted, next: at };
    }
    scanned += rows.length;
    if (!more) return { deleted, next: undefined };
    if (scanned >= EVENTS_SCANNED_MAX) return { deleted, next: at };
  }
}

/**
 * The position before the first event to read. Throws 410 if later ones were purged. An event that waits for its delivery outlives the ones
 * around it, so what was purged ends before the first event after the newest purged one, not before the oldest event.
 */
async function findDeletionStart(tx: ReadTx, since: string, after: number | undefined): Promise<number> {
  const start = (await tx.counters.get(NEWEST_PURGED_EVENT))?.value ?? 0;
  const [first, newest] = await Promise.all([
    tx.events.listAfter({ where: [{ field: 'position', after: start }], limit: 1 }),
    tx.events.listAfter({ descending: true, limit: 1 }),
  ]);
  const [oldest] = first.rows;
  const isPurged = after === undefined ? start > 0 && (oldest === undefined || oldest.occurredAt > since) : after < start;
  if (isPurged) throw createExpiredError('Deletions since that time are no longer kept: read the whole list again.');
  return after ?? (await findTime(tx, since, start, newest.rows[0]?.position ?? start)).position;
}
