/** Page-based lists: query parameters to a store query, rows to a response body. D-21. */
import type { Pagination } from '../../contract/operation.ts';
import type { Condition, PageQuery } from '../../domain/kernel/ports.ts';

export interface ListParameters {
  /** Undefined with a cursor. */
  readonly page: number | undefined;
  readonly cursor?: string;
  readonly page_size: number;
  readonly search?: string;
  readonly updated_since?: string;
  readonly created_since?: string;
  readonly updated_until?: string;
  readonly created_until?: string;
  readonly sort: string;
}

/** The store query of a list. `sort` names an order of the table, `where` holds the filters of the list itself. */
export function toPageQuery(query: ListParameters, where: readonly (Condition | undefined)[] = []): PageQuery {
  const { page = 1, page_size: size, search, sort } = query;
  const descending = sort.startsWith('-');
  const conditions = joinConditions(
    ...where,
    whereSince('updatedAt', getUpdatedSince(query)),
    whereSince('createdAt', query.created_since),
    whereBefore('updatedAt', query.updated_until),
    whereBefore('createdAt', query.created_until),
  );
  return {
    page: { number: page, size },
    orderBy: descending ? sort.slice(1) : sort,
    descending,
    ...(conditions.length > 0 ? { where: conditions } : {}),
    ...(search === undefined || search.trim() === '' ? {} : { search: { text: search.trim() } }),
  };
}

/** Rows that were changed in the same second may become visible in another order. */
const CHANGES_OVERLAP_MS = 1_000;

/** A reader of changes continues with the newest time that it has seen, which may come before the end of that second. */
function getUpdatedSince({ updated_since, cursor, sort }: ListParameters): string | undefined {
  if (updated_since === undefined || cursor === undefined || sort !== 'updated_at') return updated_since;
  return subtractOverlap(toUtc(updated_since));
}

/** A second earlier. */
export const subtractOverlap = (time: string): string => toUtc(new Date(Date.parse(time) - CHANGES_OVERLAP_MS).toISOString());

const LATEST_TIMESTAMP = '9999-12-31T23:59:59.999Z';

/** Converts a timestamp with any offset to the stored form: UTC with milliseconds and a four-digit year. */
export function toUtc(timestamp: string): string {
  const text = new Date(timestamp).toISOString();
  // Years beyond four digits begin with a sign, which sorts before every digit: correct for -, wrong for +.
  return text.startsWith('+') ? LATEST_TIMESTAMP : text;
}

/** Those whose parameters are present. */
export const joinConditions = (...conditions: readonly (Condition | undefined)[]): Condition[] =>
  conditions.filter((condition) => condition !== undefined);

/** A condition that a time is this one or later; undefined when the parameter is absent. */
export const whereSince = (field: string, time: string | undefined): Condition | undefined =>
  time === undefined ? undefined : { field, from: toUtc(time) };

/** A condition that a time is before this one; undefined when the parameter is absent. */
export const whereBefore = (field: string, time: string | undefined): Condition | undefined =>
  time === undefined ? undefined : { field, before: toUtc(time) };

/** A condition that a field has one of these values; undefined when the parameter is absent. */
export const whereIn = (field: string, values: readonly string[] | undefined): Condition | undefined =>
  values === undefined ? undefined : { field, in: values };
/** A condition that a field has this value; undefined when the parameter is absent. */
export const whereEquals = (field: string, value: string | boolean | undefined): Condition | undefined =>
  value === undefined ? undefined : { field, equals: value };

export function toPagination(query: { readonly page: number | undefined; readonly page_size: number }, total: number): Pagination {
  return { page: query.page ?? 1, pageSize: query.page_size, total, totalPages: Math.ceil(total / query.page_size) };
}
