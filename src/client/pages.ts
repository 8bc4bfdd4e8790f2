/** Walks lists page by page, holding one page at a time. */
import { PAGE_SIZE_MAX } from '../contract/limits.ts';
import type { Operation, Pagination } from '../contract/operation.ts';
import { type Client, type SendOptions, refuseForeign } from './client.ts';
import { type LooseParts, requestOf } from './request.ts';

export interface ListBody {
  readonly data: readonly unknown[];
  readonly pagination: Pagination;
}

/** Every page from the first on, of up to `limit` rows together. */
export async function* pagesOf(client: Client, op: Operation, parts: LooseParts, limit = Infinity): AsyncGenerator<ListBody> {
  const pageSize = Math.min(PAGE_SIZE_MAX, limit);
  let count = 0;
  for (let page = 1; ; page += 1) {
    const { data, pagination } = (await ask(client, op, { ...parts, query: { ...parts.query, page, page_size: pageSize } })) as ListBody;
    const rows = data.slice(0, limit - count);
    count += rows.length;
    yield { data: rows, pagination };
    if (count >= limit || page >= pagination.totalPages) return;
  }
}

/** By `send`, which is what a client that keeps a pace of its own replaces. */
async function ask(client: Client, op: Operation, parts: LooseParts): Promise<unknown> {
  const request = requestOf(op, parts);
  const reply = await client.send(request);
  refuseForeign(op, request, reply);
  return reply.body;
}

interface Row {
  readonly id: string;
  readonly createdAt?: string;
}

/** Where a walk is: the last row that was seen, and its page. */
export interface RowPlace {
  readonly createdAt: string;
  readonly id: string;
  readonly page?: number;
}

export interface Stretch {
  readonly rows: readonly unknown[];
  /** Null: the rows do not tell when they were created, so nothing can go on behind them. */
  readonly place: RowPlace | null;
  readonly total: number;
}

/** Pages on their way while one is used: the service works on the second while the first is read. */
const PAGES_AHEAD = 2;

/**
 * Every row in the order of creation, each once, while others write: new rows come at the end, and when rows were removed it goes back
 * by as many pages, over what it has seen. The next pages are on their way while one is used. `start`: go on behind this row.
 */
export async function* stretchesOf(client: Client, op: Operation, parts: LooseParts, start: RowPlace | null): AsyncGenerator<Stretch> {
  const fetchPage = (page: number): Promise<ListBody> => {
    const query = { ...parts.query, sort: 'created_at', page, page_size: PAGE_SIZE_MAX };
    const body = ask(client, op, { ...parts, query }) as Promise<ListBody>;
    // It is awaited when its turn comes, which may be never.
    body.catch(() => undefined);
    return body;
  };
  let page = start?.page ?? 1;
  let place: RowPlace | null = start;
  /** Going back until a page begins with a row that was seen. */
  let seeks = start !== null;
  /** On ground that was covered before. */
  let isOver = seeks;
  let before: number | undefined;
  /** The page after `page`, and those after it. */
  let ahead: Promise<ListBody>[] = [];
  for (let next = fetchPage(page); ;) {
    const { data, pagination } = await next;
    const rows = data as readonly Row[];
    const gone = before === undefined ? 0 : before - pagination.total;
    before = pagination.total;
    const [first] = rows;
    const isAhead = seeks && place !== null && (first === undefined || isBehind(first, place));
    if (page > 1 && place !== null && (gone > 0 || isAhead)) {
      seeks = true;
      isOver = true;
      page = Math.max(1, page - Math.max(1, Math.ceil(gone / PAGE_SIZE_MAX)));
      ahead = [];
      next = fetchPage(page);
      continue;
    }
    seeks = false;
    const isLast = page >= pagination.totalPages;
    while (ahead.length < PAGES_AHEAD && page + ahead.length < pagination.totalPages) ahead.push(fetchPage(page + ahead.length + 1));
    const seen = place;
    const fresh = isOver && seen !== null ? rows.filter((row) => isBehind(row, seen)) : rows;
    const last = fresh.at(-1);
    if (last) isOver = false;
    if (last?.createdAt !== undefined) place = { createdAt: last.createdAt, id: last.id, page };
    yield { rows: fresh, place, total: pagination.total };
    if (isLast) return;
    page += 1;
    next = ahead.shift() ?? fetchPage(page);
  }
}

const isBehind = ({ createdAt = '', id }: Row, place: RowPlace): boolean =>
  createdAt > place.createdAt || (createdAt === place.createdAt && id > place.id);

export interface Cursor {
  readonly createdAt: string;
  readonly id: string;
}

export interface CursorBody {
  readonly data: readonly unknown[];
  readonly pagination: { readonly hasMore: boolean; readonly nextCursor: Cursor | null };
}

/** Every page of a cursor-paginated list, from `start` on; each page says where the next would begin. */
export async function* cursorPagesOf(client: Client, op: Operation, parts: LooseParts, start: Cursor | null): AsyncGenerator<CursorBody> {
  let cursor = start;
  for (;;) {
    const at = cursor === null ? {} : { cursor_created_at: cursor.createdAt, cursor_id: cursor.id };
    const body = (await ask(client, op, { ...parts, query: { ...parts.query, ...at } })) as CursorBody;
    yield body;
    const { hasMore, nextCursor } = body.pagination;
    if (!hasMore || nextCursor === null) return;
    cursor = nextCursor;
  }
}

/** The answer has no pages to follow. */
export class NotAList extends Error {
  override readonly name = 'NotAList';
}

export interface WalkOptions extends Pick<SendOptions, 'signal'> {
  /** Beside those of the client. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Every page of any list, by the form of its pagination. */
export async function* walk(client: Client, path: string, options: WalkOptions = {}): AsyncGenerator<ListBody | CursorBody> {
  const url = new URL(path, 'http://localhost');
  for (;;) {
    const { body } = await client.send(
      { method: 'GET', path: url.pathname + url.search, ...(options.headers && { headers: options.headers }) },
      options,
    );
    const { data, pagination } = (body ?? {}) as { data?: unknown; pagination?: ListBody['pagination'] | CursorBody['pagination'] };
    if (!Array.isArray(data) || pagination === undefined) throw new NotAList(`${url.pathname} is not a list with pages`);
    yield body as ListBody | CursorBody;
    if ('totalPages' in pagination) {
      if (pagination.page >= pagination.totalPages) return;
      url.searchParams.set('page', String(pagination.page + 1));
    } else {
      if (!pagination.hasMore || pagination.nextCursor === null) return;
      url.searchParams.set('cursor_created_at', pagination.nextCursor.createdAt);
      url.searchParams.set('cursor_id', pagination.nextCursor.id);
    }
  }
}
