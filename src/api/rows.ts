/** Page-based lists of what belongs to one parent: few enough rows to be searched and sorted here. D-21. */
import type { Pagination } from '../contract/operation.ts';
import { foldCase } from '../domain/text.ts';
import { type ListParameters, paginationOf, utc } from './lists.ts';

interface Stamped {
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface RowList<R> {
  /** The texts that `search` looks into. */
  readonly texts: (row: R) => readonly string[];
  /** Ascending, by sort key. */
  readonly compare: Readonly<Record<string, (a: R, b: R) => number>>;
}

/** The page that the query asks for; `sort` may join several keys by commas. Rows come in the order that breaks ties. */
export function pageOfRows<R extends Stamped>(
  query: ListParameters,
  rows: readonly R[],
  { texts, compare }: RowList<R>,
): { data: R[]; pagination: Pagination } {
  const { page, page_size: size, search = '', updated_since, created_since, sort } = query;
  const wanted = foldCase(search.trim());
  const updatedSince = updated_since === undefined ? '' : utc(updated_since);
  const createdSince = created_since === undefined ? '' : utc(created_since);
  const found = rows.filter(
    (row) =>
      row.updatedAt >= updatedSince &&
      row.createdAt >= createdSince &&
      (wanted === '' || texts(row).some((text) => foldCase(text).includes(wanted))),
  );
  const steps = sort.split(',').map((key) => {
    const ascending = compare[key.replace(/^-/u, '')] ?? (() => 0);
    return key.startsWith('-') ? (a: R, b: R) => ascending(b, a) : ascending;
  });
  found.sort((a, b) => steps.reduce((order, step) => order || step(a, b), 0));
  return { data: found.slice((page - 1) * size, page * size), pagination: paginationOf(query, found.length) };
}

/** Orders texts without regard to case, by code units, as the store does. */
export function compareFolded(a: string, b: string): number {
  const [x, y] = [foldCase(a), foldCase(b)];
  return x === y ? 0 : x < y ? -1 : 1;
}
