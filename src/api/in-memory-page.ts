/** Pages of lists that belong to one parent and are small enough to search and sort in memory. D-21. */
import type { Pagination } from '../contract/operation.ts';
import { foldForSearch } from '../contract/search-text.ts';
import { foldCase } from '../domain/kernel/text.ts';
import { type ListParameters, toPagination, toUtc } from './pagination.ts';

interface Timestamped {
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** How a list is searched and sorted. */
export interface InMemoryList<R> {
  /** The texts that `search` matches. */
  readonly getSearchTexts: (row: R) => readonly string[];
  /** Ascending comparators by sort key. */
  readonly compare: Readonly<Record<string, (a: R, b: R) => number>>;
}

/** The requested page of rows. `sort` may be several keys joined by commas; ties keep the order of `rows`. */
export function paginateRows<R extends Timestamped>(
  query: ListParameters,
  rows: readonly R[],
  { getSearchTexts, compare }: InMemoryList<R>,
): { data: R[]; pagination: Pagination } {
  const { page, page_size: size, search = '', updated_since, created_since, sort } = query;
  const searchText = foldForSearch(search.trim());
  const updatedSince = updated_since === undefined ? '' : toUtc(updated_since);
  const createdSince = created_since === undefined ? '' : toUtc(created_since);
  const matches = rows.filter(
    (row) =>
      row.updatedAt >= updatedSince &&
      row.createdAt >= createdSince &&
      (searchText === '' || getSearchTexts(row).some((text) => foldForSearch(text).includes(searchText))),
  );
  const comparators = sort.split(',').map((key) => {
    const ascending = compare[key.replace(/^-/u, '')] ?? (() => 0);
    return key.startsWith('-') ? (a: R, b: R) => ascending(b, a) : ascending;
  });
  matches.sort((a, b) => comparators.reduce((order, comparator) => order || comparator(a, b), 0));
  return { data: matches.slice((page - 1) * size, page * size), pagination: toPagination(query, matches.length) };
}

/** Compares texts case-insensitively by code units, as the store does. */
export function compareIgnoringCase(a: string, b: string): number {
  const [foldedA, foldedB] = [foldCase(a), foldCase(b)];
  return foldedA === foldedB ? 0 : foldedA < foldedB ? -1 : 1;
}
