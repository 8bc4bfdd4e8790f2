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

/** A row, by the order of creation. */
export interface Cursor {
  readonly createdAt: string;
  readonly id: string;
}

export interface Stretch {
  readonly rows: readonly unknown[];
  /** Null: the rows do not tell when they were created, so nothing can go on behind them. */
  readonly place: Cursor | null;
  readonly total: number;
}

/** Pages on their way while one is used: the service works on the second while the first is read. */
const PAGES_AHEAD = 2;
/** Then the pages are counted anew, from the last row on. */
const WINDOW_PAGES = 12;
const EVER = '1970-01-01T00:00:00.000Z';

/**
 * Every row in the order of creation, each once, while others write. The next pages are on their way while one is used. `start`: go on
 * behind this row.
 *
 * A page is a number of rows from some place on, and rows before it that go, or that a filter begins to match, move what is on it. So each
 * page is of a size that lets it begin with a row that was seen: when that is not on it, or when there were some pages, what was created
 * since the last row is asked for from its first page on. Few rows of a hundred are read twice.
 */
export async function* stretchesOf(client: Client, op: Operation, parts: LooseParts, start: Cursor | null): AsyncGenerator<Stretch> {
  let place = start;
  let since = start?.createdAt ?? (parts.query?.['created_since'] as string | undefined) ?? EVER;
  let ahead: { readonly at: PageAt; readonly body: Promise<ListBody> }[] = [];
  /** The next page of this window to be asked for; how many were, and how many came. */
  let next = FIRST_PAGE;
  let [asked, came] = [0, 0];
  /** The last row of the page before. */
  let last: string | undefined;
  /** Rows that were told, and rows of this window that were told in another. */
  let [count, known] = [0, 0];
  let windowBegan = 0;

  function askNext(): void {
    const at = next;
    const query = { ...parts.query, sort: 'created_at', created_since: since, page: at.page, page_size: at.size };
    const body = ask(client, op, { ...parts, query }) as Promise<ListBody>;
    // It is awaited when its turn comes, which may be never.
    body.catch(() => undefined);
    ahead.push({ at, body });
    asked += 1;
    next = pageFrom(at.page * at.size - 1);
  }
  const mayAsk = (total: number): boolean =>
    asked === came || (asked < Math.min(came + PAGES_AHEAD, WINDOW_PAGES) && (next.page - 1) * next.size < total);
  function beginWindow(): void {
    since = place?.createdAt ?? since;
    [ahead, next, asked, came, last, known, windowBegan] = [[], FIRST_PAGE, 0, 0, undefined, 0, count];
    askNext();
  }

  for (beginWindow(); ;) {
    const { at, body } = ahead.shift()!;
    const { data, pagination } = await body;
    const rows = data as readonly Row[];
    came += 1;
    if (came > 1 && !rows.some(({ id }) => id === last)) {
      beginWindow();
      continue;
    }
    const seen = place;
    const fresh = seen === null ? rows : rows.filter((row) => isBehind(row, seen));
    count += fresh.length;
    const end = rows.at(-1);
    if (end?.createdAt !== undefined && fresh.length > 0) place = { createdAt: end.createdAt, id: end.id };
    if (came === 1) known = rows.length - fresh.length;
    last = end?.id;
    const isLast = at.page >= pagination.totalPages;
    const total = isLast ? count : windowBegan + pagination.total - known;
    // Rows of one moment may be more than a window has.
    const isOver = came >= WINDOW_PAGES && place !== null && place.createdAt > since;
    if (!isLast) {
      const there = isOver ? pagination.total - at.page * at.size : pagination.total;
      if (isOver) beginWindow();
      while (mayAsk(there)) askNext();
    }
    yield { rows: fresh, place, total };
    if (isLast) return;
  }
}

/** So many rows of a list, from the first row behind the pages before it. */
interface PageAt {
  readonly page: number;
  readonly size: number;
}

const FIRST_PAGE: PageAt = { page: 1, size: PAGE_SIZE_MAX };

/** The page that has the row at `offset` and reaches the furthest behind it. */
function pageFrom(offset: number): PageAt {
  let best: PageAt = FIRST_PAGE;
  for (let size = PAGE_SIZE_MAX; size > 1; size -= 1) {
    const page = Math.floor(offset / size) + 1;
    if (page * size > best.page * best.size) best = { page, size };
  }
  return best;
}

const isBehind = ({ createdAt = '', id }: Row, place: Cursor): boolean =>
  createdAt > place.createdAt || (createdAt === place.createdAt && id > place.id);

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
    const { data, pagination } = body as { data?: unknown; pagination?: ListBody['pagination'] | CursorBody['pagination'] };
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
