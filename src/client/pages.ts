/** Iterates over lists page by page, holding one page at a time. */
import { PAGE_SIZE_MAX } from '../contract/limits.ts';
import type { Operation, Pagination } from '../contract/operation.ts';
import { type Client, type SendOptions, assertResponseShape } from './client.ts';
import { UnexpectedResponse } from './errors.ts';
import { createPageProgress } from './page-progress.ts';
import { type LooseParts, toRequest } from './request.ts';

export interface ListBody {
  readonly data: readonly unknown[];
  readonly pagination: Pagination;
}

/** Yields the pages of a list with up to `limit` rows in total. */
export async function* iteratePages(client: Client, op: Operation, parts: LooseParts, limit = Infinity): AsyncGenerator<ListBody> {
  const pageSize = Math.min(PAGE_SIZE_MAX, limit);
  const progress = createPageProgress(op.path);
  let count = 0;
  for (let page = 1; ; page += 1) {
    const { data, pagination } = (await fetchPage(client, op, {
      ...parts,
      query: { ...parts.query, page, page_size: pageSize },
    })) as ListBody;
    const rows = data.slice(0, limit - count);
    count += rows.length;
    yield { data: rows, pagination };
    if (count >= limit || page >= pagination.totalPages) return;
    progress.check(data, page + 1);
  }
}

/** Uses `send`, which clients with their own rate limiting replace. */
async function fetchPage(client: Client, op: Operation, parts: LooseParts): Promise<unknown> {
  const request = toRequest(op, parts);
  const reply = await client.send(request);
  assertResponseShape(op, request, reply);
  return reply.body;
}

interface Row {
  readonly id: string;
  readonly createdAt?: string;
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

/** Pages requested in advance, while one is processed. */
const PAGES_AHEAD = 2;
/** After this many pages, the page numbers start again from the last row. */
const WINDOW_PAGES = 12;
/** Deletions restart a window without a new row, but not so often in a row. */
const FRUITLESS_WINDOWS_MAX = 20;
const EPOCH = '1970-01-01T00:00:00.000Z';

/**
 * Yields every row once in the order of creation, even if others write at the same time. The next pages are requested in advance.
 * `start`: continue after this row.
 *
 * When rows before a page are deleted or start to match the filter, the page shifts. Therefore each page overlaps the previous one by a
 * row. If that row is missing, or after WINDOW_PAGES pages, a new window starts: the first page of the rows created since the last row.
 * Only a few percent of the rows are read twice.
 */
export async function* iterateBatches(client: Client, op: Operation, parts: LooseParts, start: Cursor | null): AsyncGenerator<Batch> {
  let cursor = start;
  let since = start?.createdAt ?? (parts.query?.['created_since'] as string | undefined) ?? EPOCH;
  let pending: { readonly at: PageRange; readonly body: Promise<ListBody> }[] = [];
  /** The next page of this window to request; how many were requested and received. */
  let next = FIRST_PAGE;
  let [requestedCount, receivedCount] = [0, 0];
  /** Id of the last row of the previous page. */
  let lastId: string | undefined;
  /** Rows yielded, and rows of this window that an earlier one yielded. */
  let [yieldedCount, repeatedCount] = [0, 0];
  let windowStart = 0;
  const progress = createPageProgress(op.path);
  let position = 0;
  let fruitlessWindows = 0;

  function requestNext(): void {
    const at = next;
    const query = { ...parts.query, sort: 'created_at', created_since: since, page: at.page, page_size: at.size };
    const body = fetchPage(client, op, { ...parts, query }) as Promise<ListBody>;
    // Awaited later, or never.
    body.catch(() => undefined);
    pending.push({ at, body });
    requestedCount += 1;
    next = findPage(at.page * at.size - 1);
  }
  const canRequest = (total: number): boolean =>
    requestedCount === receivedCount ||
    (requestedCount < Math.min(receivedCount + PAGES_AHEAD, WINDOW_PAGES) && (next.page - 1) * next.size < total);
  function startWindow(): void {
    since = cursor?.createdAt ?? since;
    [pending, next, requestedCount, receivedCount, lastId, repeatedCount, windowStart] = [[], FIRST_PAGE, 0, 0, undefined, 0, yieldedCount];
    requestNext();
  }

  for (startWindow(); ;) {
    const { at, body } = pending.shift()!;
    const { data, pagination } = await body;
    const rows = data as readonly Row[];
    receivedCount += 1;
    // Windows start again, so that pages have no numbers to compare.
    if (at.page < pagination.totalPages) progress.check(data, (position += 1));
    if (receivedCount > 1 && !rows.some(({ id }) => id === lastId)) {
      fruitlessWindows = yieldedCount > windowStart ? 0 : fruitlessWindows + 1;
      if (fruitlessWindows > FRUITLESS_WINDOWS_MAX)
        throw new UnexpectedResponse(op.path, `Unexpected response from the service to GET ${op.path}: its pages do not overlap`);
      startWindow();
      continue;
    }
    const previous = cursor;
    const newRows = previous === null ? rows : rows.filter((row) => isAfter(row, previous));
    yieldedCount += newRows.length;
    const end = rows.at(-1);
    if (end?.createdAt !== undefined && newRows.length > 0) cursor = { createdAt: end.createdAt, id: end.id };
    if (receivedCount === 1) repeatedCount = rows.length - newRows.length;
    lastId = end?.id;
    const isLast = at.page >= pagination.totalPages;
    const total = isLast ? yieldedCount : windowStart + pagination.total - repeatedCount;
    // More rows than a window holds may have the same time.
    const isWindowComplete = receivedCount >= WINDOW_PAGES && cursor !== null && cursor.createdAt > since;
    if (!isLast) {
      const rowsToRead = isWindowComplete ? pagination.total - at.page * at.size : pagination.total;
      if (isWindowComplete) startWindow();
      while (canRequest(rowsToRead)) requestNext();
    }
    yield { rows: newRows, cursor, total };
    if (isLast) return;
  }
}

interface PageRange {
  readonly page: number;
  readonly size: number;
}

const FIRST_PAGE: PageRange = { page: 1, size: PAGE_SIZE_MAX };

/** Finds the page that contains the row at `offset` and extends furthest beyond it. */
function findPage(offset: number): PageRange {
  let best: PageRange = FIRST_PAGE;
  for (let size = PAGE_SIZE_MAX; size > 1; size -= 1) {
    const page = Math.floor(offset / size) + 1;
    if (page * size > best.page * best.size) best = { page, size };
  }
  return best;
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
    const { data, pagination } = (body ?? {}) as { data?: unknown; pagination?: ListBody['pagination'] | CursorBody['pagination'] };
    if (!Array.isArray(data) || typeof pagination !== 'object' || pagination === null)
      throw new NotAList(`${url.pathname} is not a paginated list`);
    yield body as ListBody | CursorBody;
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
