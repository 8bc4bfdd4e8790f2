/**
 * Reads a whole list, page by page, while others write: every row that exists throughout is yielded, and none twice.
 *
 * Rows before a page may be deleted, added, or start to match the filter, which shifts the page. Therefore each page overlaps the previous
 * one by a row. If no row of a page was yielded before, rows may have been skipped, and earlier pages are read again.
 *
 * By time of creation, which never changes, nothing else can happen. In any other order a row may also move, from a page that is still to be
 * read to one that was read. If anything has changed when the last page was read, the list is read again by time of creation, and the rows
 * that were not yielded follow.
 */
import { PAGE_SIZE_MAX } from '../../contract/limits.ts';
import type { Operation, Pagination } from '../../contract/operation.ts';
import { ApiError, createMalformedResponse } from '../errors.ts';
import { createPageProgress } from './page-progress.ts';

export interface ListBody {
  readonly data: readonly unknown[];
  readonly pagination: Pagination;
}

/** Requests one page with these parameters, besides the filters. */
export type FetchPage = (query: { readonly sort?: string; readonly page: number; readonly page_size: number }) => Promise<ListBody>;

export interface CompleteListOptions {
  readonly op: Operation;
  readonly fetch: FetchPage;
  /** Default: by time of creation, in the direction of the list. */
  readonly sort?: string | undefined;
  /** Maximum number of rows of a page. */
  readonly pageSize?: number;
  /** Only the first rows are wanted, so rows that move behind them are not looked for. */
  readonly isPartial?: boolean;
  /** If the service does not have `sort`, which extends the given contract, read the list in its own order. */
  readonly isSortOptional?: boolean;
}

/** Requests that find no new row, in a row: earlier pages, and rows that were added before a page. */
const FRUITLESS_REQUESTS_MAX = 1_000;

/** Yields the pages without the rows that an earlier one had. */
export async function* readCompleteList(options: CompleteListOptions): AsyncGenerator<ListBody> {
  const { op, fetch, pageSize = PAGE_SIZE_MAX, isSortOptional } = options;
  try {
    yield* readSorted(options);
  } catch (error) {
    // Only the first request can fail like that.
    const isUnknown = error instanceof ApiError && error.fields?.some(({ path, code }) => path === '/sort' && code === 'unknown_field');
    if (!isUnknown || !isSortOptional) throw error;
    yield* readInOrder(op, fetch, undefined, pageSize, createSeenRows());
  }
}

async function* readSorted(options: CompleteListOptions): AsyncGenerator<ListBody> {
  const { op, fetch, sort, pageSize = PAGE_SIZE_MAX, isPartial = false } = options;
  const creation = findCreationOrder(op);
  const order = sort ?? creation ?? getDefaultSort(op);
  if (creation !== undefined && order?.replace(/^-/u, '') === CREATED) {
    yield* readInOrder(op, fetch, order, pageSize, createCreationMark(order));
    return;
  }
  const seen = createSeenRows();
  if (isPartial || creation === undefined) {
    yield* readInOrder(op, fetch, order, pageSize, seen);
    return;
  }
  // One page is read at one instant.
  const only = await fetch({ ...(order !== undefined && { sort: order }), page: 1, page_size: pageSize });
  if (only.pagination.totalPages <= 1) {
    yield only;
    return;
  }
  const probe = hasSort(op, NEWEST) ? () => findNewest(fetch) : undefined;
  const newest = await probe?.();
  let first: Pagination | undefined;
  let last: Pagination | undefined;
  for await (const body of readInOrder(op, fetch, order, pageSize, seen)) {
    first ??= body.pagination;
    last = body.pagination;
    yield body;
  }
  if (first?.total === last?.total && newest !== undefined && newest === (await probe?.())) return;
  for await (const body of readInOrder(op, fetch, creation, PAGE_SIZE_MAX, createCreationMark(creation))) {
    const missed = body.data.filter((row) => !seen.has(row));
    if (missed.length > 0) yield { ...body, data: missed };
  }
}

const CREATED = 'created_at';
const NEWEST = '-updated_at';

const getSorts = ({ query }: Operation): readonly string[] => {
  const sort = query?.properties['sort'];
  return sort?.kind === 'enum' ? sort.values : [];
};
const hasSort = (op: Operation, sort: string): boolean => getSorts(op).includes(sort);
/** The first sort key is the default. */
export const getDefaultSort = (op: Operation): string | undefined => getSorts(op)[0];

/** The order by time of creation, in the direction of the list if that is its default. */
function findCreationOrder(op: Operation): string | undefined {
  const byDefault = getDefaultSort(op);
  if (byDefault?.replace(/^-/u, '') === CREATED) return byDefault;
  return hasSort(op, CREATED) ? CREATED : undefined;
}

/** When the newest change of the matching rows was made; null without rows. */
async function findNewest(fetch: FetchPage): Promise<string | null> {
  const { data } = await fetch({ sort: NEWEST, page: 1, page_size: 1 });
  return (data[0] as { readonly updatedAt?: string } | undefined)?.updatedAt ?? null;
}

/** The rows that were yielded. */
interface YieldedRows {
  has(row: unknown): boolean;
  /** `rows` in their order. */
  add(rows: readonly unknown[]): void;
}

interface CreatedRow {
  readonly id: string;
  readonly createdAt: string;
}

/** In the order of creation the last row says which were yielded. */
function createCreationMark(order: string): YieldedRows {
  const sign = order.startsWith('-') ? -1 : 1;
  let mark: CreatedRow | undefined;
  const compare = (a: CreatedRow, b: CreatedRow): number =>
    sign * (a.createdAt === b.createdAt ? (a.id < b.id ? -1 : Number(a.id > b.id)) : a.createdAt < b.createdAt ? -1 : 1);
  return {
    has: (row) => mark !== undefined && compare(row as CreatedRow, mark) <= 0,
    add(rows) {
      mark = (rows.at(-1) as CreatedRow | undefined) ?? mark;
    },
  };
}

/** In other orders every row must be remembered. */
function createSeenRows(): YieldedRows {
  const seen = new Set<string>();
  /** Stock levels have no id of their own. */
  const toKey = (row: unknown): string => {
    const { id, itemId, siteId } = row as Readonly<Record<string, unknown>>;
    return typeof id === 'string' ? id : JSON.stringify([itemId, siteId]);
  };
  return {
    has: (row) => seen.has(toKey(row)),
    add(rows) {
      for (const row of rows) seen.add(toKey(row));
    },
  };
}

export interface PageRange {
  readonly page: number;
  readonly size: number;
}

async function* readInOrder(
  { path }: Operation,
  fetch: FetchPage,
  sort: string | undefined,
  pageSize: number,
  yielded: YieldedRows,
): AsyncGenerator<ListBody> {
  const checkProgress = createPageProgress(path);
  let range: PageRange = { page: 1, size: pageSize };
  let lastTotal = 0;
  let fruitless = 0;
  for (let position = 1; ; position += 1) {
    const body = await fetch({ ...(sort !== undefined && { sort }), page: range.page, page_size: range.size });
    const { data, pagination } = body;
    if (pagination.page !== range.page) throw createMalformedResponse(path, 'the list continues with a page that was already read');
    const start = (range.page - 1) * range.size;
    const isGapPossible = start > 0 && !data.some((row) => yielded.has(row));
    const rows = isGapPossible ? [] : data.filter((row) => !yielded.has(row));
    fruitless = rows.length > 0 ? 0 : fruitless + 1;
    if (fruitless > FRUITLESS_REQUESTS_MAX) throw createMalformedResponse(path, 'its pages do not overlap');
    if (isGapPossible) {
      // As far back as the list became shorter, and at least a page.
      range = findPage(Math.max(0, start - Math.max(pageSize, lastTotal - pagination.total)), pageSize);
      lastTotal = pagination.total;
      continue;
    }
    yielded.add(rows);
    lastTotal = pagination.total;
    if (rows.length === 0 && position === 1) yield { data: rows, pagination };
    // Small pages may need a larger one to overlap.
    for (let at = 0; at < rows.length; at += pageSize) yield { data: rows.slice(at, at + pageSize), pagination };
    if (range.page >= pagination.totalPages) return;
    checkProgress(data, position);
    range = findPage(start + range.size - 1, pageSize);
  }
}

/** Finds the page that contains the row at `offset` and extends furthest beyond it, of at most `maximum` rows if one of these does. */
export function findPage(offset: number, maximum: number): PageRange {
  const getEnd = ({ page, size }: PageRange): number => page * size;
  const toRange = (size: number): PageRange => ({ page: Math.floor(offset / size) + 1, size });
  let best = toRange(maximum);
  for (let size = maximum - 1; size > 1; size -= 1) if (getEnd(toRange(size)) > getEnd(best)) best = toRange(size);
  for (let size = maximum + 1; getEnd(best) <= offset + 1; size += 1) best = toRange(size);
  return best;
}
