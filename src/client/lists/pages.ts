/** Iterates over lists page by page, holding one page at a time. */
import { PAGE_SIZE_MAX, QUERY_VALUES_MAX } from '../../contract/limits.ts';
import type { Operation } from '../../contract/operation.ts';
import { type Client, type SendOptions, assertResponseShape } from '../client.ts';
import { type FetchPage, type ListBody, getDefaultSort, readCompleteList } from './complete-list.ts';
import { createPageProgress } from './page-progress.ts';
import { type LooseParts, toRequest } from '../request.ts';

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
    isSortOptional: sort === undefined,
  })) {
    const rows = data.slice(0, limit - count);
    count += rows.length;
    yield { data: rows, pagination };
    if (count >= limit) return;
  }
}

/** Yields the pages of a list for any number of values of a query parameter, of which one request has at most {@link QUERY_VALUES_MAX}. */
export async function* iteratePagesOf(client: Client, op: Operation, name: string, values: readonly string[]): AsyncGenerator<ListBody> {
  for (let at = 0; at < values.length; at += QUERY_VALUES_MAX)
    yield* iteratePages(client, op, { query: { [name]: values.slice(at, at + QUERY_VALUES_MAX) } });
}

/** Reads all rows of a list that fits into memory. */
export async function readAllRows<T>(client: Client, op: Operation, parts: LooseParts, limit?: number): Promise<readonly T[]> {
  const rows: T[] = [];
  for await (const { data } of iteratePages(client, op, parts, limit)) rows.push(...(data as readonly T[]));
  return rows;
}

export type { ListBody } from './complete-list.ts';

/** Uses `send`, which clients with their own rate limiting replace. */
export async function fetchPage(client: Client, op: Operation, parts: LooseParts): Promise<unknown> {
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

export interface CursorBody<C extends Cursor | string = Cursor | string> {
  readonly data: readonly unknown[];
  /** A text is opaque, for the parameter `cursor`. */
  readonly pagination: { readonly hasMore: boolean; readonly nextCursor: C | null };
}

/** Yields the pages of a list with cursors, from `start` on, with up to `limit` rows in total. */
export async function* iterateCursorPages(
  client: Client,
  op: Operation,
  parts: LooseParts,
  start: Cursor | null,
  limit = Infinity,
): AsyncGenerator<CursorBody<Cursor>> {
  let cursor = start;
  let left = limit;
  const checkProgress = createPageProgress(op.path);
  for (;;) {
    const at = cursor === null ? {} : toCursorParameters(cursor);
    const body = (await fetchPage(client, op, { ...parts, query: { ...parts.query, ...at } })) as CursorBody<Cursor>;
    const rows = body.data.slice(0, left);
    left -= rows.length;
    const isWhole = rows.length === body.data.length;
    yield isWhole ? body : { data: rows, pagination: { hasMore: true, nextCursor: toCursor(rows.at(-1)) } };
    const { hasMore, nextCursor } = body.pagination;
    if (left === 0 || !hasMore || nextCursor === null) return;
    checkProgress(body.data, nextCursor);
    cursor = nextCursor;
  }
}

/** The position of a row that has one. */
export function toCursor(row: unknown): Cursor | null {
  const { createdAt, id } = (row ?? {}) as Partial<Cursor>;
  return createdAt === undefined || id === undefined ? null : { createdAt, id };
}

const toCursorParameters = (cursor: Cursor | string): Readonly<Record<string, string>> =>
  typeof cursor === 'string' ? { cursor } : { cursor_created_at: cursor.createdAt, cursor_id: cursor.id };

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
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Yields the pages of any list, with page numbers or cursors. */
export async function* followPagination(
  client: Client,
  path: string,
  options: PaginationOptions = {},
): AsyncGenerator<ListBody | CursorBody> {
  const url = new URL(path, 'http://localhost');
  const checkProgress = createPageProgress(url.pathname);
  for (;;) {
    const { body } = await client.send({ method: 'GET', path: url.pathname + url.search, headers: options.headers }, options);
    const page = readPage<ListBody | CursorBody>(url.pathname, body);
    yield page;
    const { data, pagination } = page;
    if ('totalPages' in pagination) {
      if (pagination.page >= pagination.totalPages) return;
      checkProgress(data, pagination.page + 1);
      url.searchParams.set('page', String(pagination.page + 1));
    } else {
      if (!pagination.hasMore || pagination.nextCursor === null) return;
      checkProgress(data, pagination.nextCursor);
      for (const [name, value] of Object.entries(toCursorParameters(pagination.nextCursor))) url.searchParams.set(name, value);
    }
  }
}
