/** Pages of lists that belong to one parent and are small enough to search and sort in memory. D-21. */
import { CREATION, type Pagination } from '../../contract/operation.ts';
import { foldForSearch } from '../../contract/search-text.ts';
import { invalidField } from '../../domain/kernel/errors.ts';
import { foldCase } from '../../domain/kernel/text.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import { checkNoPage, toCursorPagination } from './list-page.ts';
import { type ListParameters, toPagination, toUtc } from './pagination.ts';

interface Timestamped {
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** How a list is searched and sorted. */
export interface InMemoryList<R> {
  /** What identifies a row in the list. */
  readonly getId: (row: R) => string;
  /** The texts that `search` matches. */
  readonly getSearchTexts: (row: R) => readonly string[];
  /** Ascending comparators by sort key. */
  readonly compare: Readonly<Record<string, (a: R, b: R) => number>>;
}

/** The requested page of rows. `sort` may be several keys joined by commas; ties keep the order of `rows`. */
export function paginateRows<R extends Timestamped>(
  query: ListParameters,
  rows: readonly R[],
  list: InMemoryList<R>,
): { data: R[]; pagination: Pagination } {
  const { getSearchTexts, compare } = list;
  const { page = 1, page_size: size, search = '', updated_since, created_since, sort } = query;
  const searchText = foldForSearch(search.trim());
  const updatedSince = updated_since === undefined ? '' : toUtc(updated_since);
  const createdSince = created_since === undefined ? '' : toUtc(created_since);
  const matches = rows.filter(
    (row) =>
      row.updatedAt >= updatedSince &&
      row.createdAt >= createdSince &&
      (query.updated_until === undefined || row.updatedAt < toUtc(query.updated_until)) &&
      (query.created_until === undefined || row.createdAt < toUtc(query.created_until)) &&
      (searchText === '' || getSearchTexts(row).some((text) => foldForSearch(text).includes(searchText))),
  );
  if (query.cursor !== undefined) return continueAfter(query, query.cursor, matches, list);
  const comparators = sort.split(',').map((key) => {
    const ascending = compare[key.replace(/^-/u, '')] ?? (() => 0);
    return key.startsWith('-') ? (a: R, b: R) => ascending(b, a) : ascending;
  });
  matches.sort((a, b) => comparators.reduce((order, comparator) => order || comparator(a, b), 0));
  return { data: matches.slice((page - 1) * size, page * size), pagination: toPagination(query, matches.length) };
}

/** The rows after a cursor, by time of creation. */
function continueAfter<R extends Timestamped>(
  query: ListParameters,
  cursor: string,
  rows: readonly R[],
  { getId }: InMemoryList<R>,
): { data: R[]; pagination: Pagination } {
  checkNoPage(query);
  const { sort, page_size: size } = query;
  if (sort !== CREATION)
    throw invalidField('/sort', `sort must be ${CREATION}, or absent, with a cursor of this list`, 'not_allowed', 'query');
  const toKey = (createdAt: unknown, id: string): string => `${String(createdAt)} ${id}`;
  const after = decodeCursor(cursor, sort, ['string']);
  const afterKey = after ? toKey(after.values[0], after.id) : '';
  const keyed = rows.map((row) => ({ row, key: toKey(row.createdAt, getId(row)) })).filter(({ key }) => key > afterKey);
  const data = keyed
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ row }) => row)
    .slice(0, size);
  const last = keyed.length > size ? data.at(-1) : undefined;
  const next = last && encodeCursor({ sort, values: [last.createdAt], id: getId(last) });
  return { data, pagination: toCursorPagination(query, next) };
}

/** Compares texts case-insensitively by code units, as the store does. */
export function compareIgnoringCase(a: string, b: string): number {
  const [foldedA, foldedB] = [foldCase(a), foldCase(b)];
  return foldedA === foldedB ? 0 : foldedA < foldedB ? -1 : 1;
}
