/** Iterates over lists page by page, holding one page at a time. */
import { PAGE_SIZE_MAX } from '../contract/limits.ts';
import type { Operation } from '../contract/operation.ts';
import { type Client, type SendOptions, assertResponseShape } from './client.ts';
import { UnexpectedResponse } from './errors.ts';
import { type FetchPage, type ListBody, getDefaultSort, readCompleteList } from './complete-list.ts';
import { createPageProgress } from './page-progress.ts';
import { type PageRange, PageWindow, type Row } from './page-window.ts';
import { type LooseParts, toRequest } from './request.ts';

/** Yields the pages of a list with up to `limit` rows in total; all of them without repetitions, whatever is written meanwhile. */
export async function* iteratePages(client: Client, op: Operation, parts: LooseParts, limit = Infinity): AsyncGenerator<ListBody> {
  const fetch: FetchPage = async (page) => (await fetchPage(client, op, { ...parts, query: { ...parts.query, ...page } })) as ListBody;
  const sort = parts.query?.['sort'] as string | undefined;
  // The first rows are those of the list's own order.
  const order = limit === Infinity ? sort : (sort ?? getDefaultSort(op));
  let count = 0;
  for await (const { data, pagination } of readCompleteList({
    op,
    fetch,
    sort: order,
    pageSize: Math.min(PAGE_SIZE_MAX, limit),
    isPartial: limit !== Infinity,
  })) {
    const rows = data.slice(0, limit - count);
    count += rows.length;
    yield { data: rows, pagination };
    if (count >= limit) return;
  }
}

export type { ListBody } from './complete-list.ts';

/** Uses `send`, which clients with their own rate limiting replace. */
async function fetchPage(client: Client, op: Operation, parts: LooseParts): Promise<unknown> {
  const request = toRequest(op, parts);
  const reply = await client.send(request);
  assertResponseShape(op, request, reply);
  return reply.body;
}

/** The position of a row in the order of creation. */
export interface Cursor {
  readonly createdAt: string;
  readonly id: string;
}

export interface Batch {
  readonly rows: readonly unknown[];
  /** Where a later iteration can continue; null if the rows have no time of creation. */
  readonly cursor: Cursor | null;
  readonly total: number;
}

/** Deletions restart a window without a new row, but not so often in a row. */
const FRUITLESS_WINDOWS_MAX = 20;
const EPOCH = '1970-01-01T00:00:00.000Z';

/**
 * Yields every row once in the order of creation, even if others write at the same time. The next pages are requested in advance.
 * `start`: continue after this row.
 *
 * When rows before a page are deleted or start to match the filter, the page shifts. Therefore each page overlaps the previous one by a
 * row. If that row is missing, or after some pages, a new window starts: the first page of the rows created since the last row.
 * Only a few percent of the rows are read twice.
 */
export async function* iterateBatches(client: Client, op: Operation, parts: LooseParts, start: Cursor | null): AsyncGenerator<Batch> {
  const progress = createPageProgress(op.path);
  let cursor = start;
  let yieldedCount = 0;
  let position = 0;
  let fruitlessWindows = 0;
  const fetchRange = (since: string, { page, size }: PageRange): Promise<ListBody> => {
    const query = { ...parts.query, sort: 'created_at', created_since: since, page, page_size: size };
    return fetchPage(client, op, { ...parts, query }) as Promise<ListBody>;
  };
  const startSince = start?.createdAt ?? (parts.query?.['created_since'] as string | undefined) ?? EPOCH;
  let window = new PageWindow(startSince, 0, fetchRange);

  for (;;) {
    const { at, rows, pagination, isFirst, overlaps } = await window.receive();
    // Windows start again, so that pages have no numbers to compare.
    if (at.page < pagination.totalPages) progress.check(rows, (position += 1));
    if (!overlaps) {
      fruitlessWindows = yieldedCount > window.yieldedBefore ? 0 : fruitlessWindows + 1;
      if (fruitlessWindows > FRUITLESS_WINDOWS_MAX)
        throw new UnexpectedResponse(op.path, `Unexpected response from the service to GET ${op.path}: its pages do not overlap`);
      window = new PageWindow(cursor?.createdAt ?? window.since, yieldedCount, fetchRange);
      continue;
    }
    const previous = cursor;
    const newRows = previous === null ? rows : rows.filter((row) => isAfter(row, previous));
    yieldedCount += newRows.length;
    const end = rows.at(-1);
    if (end?.createdAt !== undefined && newRows.length > 0) cursor = { createdAt: end.createdAt, id: end.id };
    if (isFirst) window.repeatedCount = rows.length - newRows.length;
    const isLast = at.page >= pagination.totalPages;
    const total = isLast ? yieldedCount : window.yieldedBefore + pagination.total - window.repeatedCount;
    // More rows than a window holds may have the same time.
    if (!isLast && window.isComplete && cursor !== null && cursor.createdAt > window.since) {
      window = new PageWindow(cursor.createdAt, yieldedCount, fetchRange);
      window.requestAhead(pagination.total - at.page * at.size);
    } else if (!isLast) window.requestAhead(pagination.total);
    yield { rows: newRows, cursor, total };
    if (isLast) return;
  }
}

const isAfter = ({ createdAt = '', id }: Row, cursor: Cursor): boolean =>
  createdAt > cursor.createdAt || (createdAt === cursor.createdAt && id > cursor.id);

export interface CursorBody {
  readonly data: readonly unknown[];
  readonly pagination: { readonly hasMore: boolean; readonly nextCursor: Cursor | null };
}

/** Yields the pages of a list with cursors, from `start` on. */
export async function* iterateCursorPages(
  client: Client,
  op: Operation,
  parts: LooseParts,
  start: Cursor | null,
): AsyncGenerator<CursorBody> {
  let cursor = start;
  const progress = createPageProgress(op.path);
  for (;;) {
    const at = cursor === null ? {} : { cursor_created_at: cursor.createdAt, cursor_id: cursor.id };
    const body = (await fetchPage(client, op, { ...parts, query: { ...parts.query, ...at } })) as CursorBody;
    yield body;
    const { hasMore, nextCursor } = body.pagination;
    if (!hasMore || nextCursor === null) return;
    progress.check(body.data, nextCursor);
    cursor = nextCursor;
  }
}

/** Thrown if a response is not paginated. */
export class NotAList extends Error {
  override readonly name = 'NotAList';
}

/** The body of a response as a page of a list; throws if it is none. */
export function readPage<Body extends ListBody | CursorBody = ListBody>(path: string, body: unknown): Body {
  const { data, pagination } = (body ?? {}) as { data?: unknown; pagination?: unknown };
  if (!Array.isArray(data) || typeof pagination !== 'object' || pagination === null)
    throw new NotAList(`${path.replace(/\?.*$/u, '')} is not a paginated list`);
  return body as Body;
}

export interface PaginationOptions extends Pick<SendOptions, 'signal'> {
  /** In addition to those of the client. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Yields the pages of any list, with page numbers or cursors. */
export async function* followPagination(
  client: Client,
  path: string,
  options: PaginationOptions = {},
): AsyncGenerator<ListBody | CursorBody> {
  const url = new URL(path, 'http://localhost');
  const progress = createPageProgress(url.pathname);
  for (;;) {
    const { body } = await client.send(
      { method: 'GET', path: url.pathname + url.search, ...(options.headers && { headers: options.headers }) },
      options,
    );
    const page = readPage<ListBody | CursorBody>(url.pathname, body);
    yield page;
    const { data, pagination } = page;
    if ('totalPages' in pagination) {
      if (pagination.page >= pagination.totalPages) return;
      progress.check(data, pagination.page + 1);
      url.searchParams.set('page', String(pagination.page + 1));
    } else {
      if (!pagination.hasMore || pagination.nextCursor === null) return;
      progress.check(data, pagination.nextCursor);
      url.searchParams.set('cursor_created_at', pagination.nextCursor.createdAt);
      url.searchParams.set('cursor_id', pagination.nextCursor.id);
    }
  }
}
