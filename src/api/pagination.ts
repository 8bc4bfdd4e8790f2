/** Page-based lists: query parameters to a store query, rows to a response body. D-21. */
import type { Pagination } from '../contract/operation.ts';
import type { Condition, PageQuery } from '../domain/kernel/ports.ts';

export interface ListParameters {
  readonly page: number;
  readonly page_size: number;
  readonly search?: string;
  readonly updated_since?: string;
  readonly created_since?: string;
  readonly sort: string;
}

/** The store query of a list. `sort` names an order of the table, `where` holds the filters of the list itself. */
export function toPageQuery(query: ListParameters, where: readonly (Condition | undefined)[] = []): PageQuery {
  const { page, page_size: size, search, updated_since, created_since, sort } = query;
  const descending = sort.startsWith('-');
  const conditions = [
    ...where,
    updated_since === undefined ? undefined : { field: 'updatedAt', from: toUtc(updated_since) },
    created_since === undefined ? undefined : { field: 'createdAt', from: toUtc(created_since) },
  ].filter((condition) => condition !== undefined);
  return {
    page: { number: page, size },
    orderBy: descending ? sort.slice(1) : sort,
    descending,
    ...(conditions.length > 0 ? { where: conditions } : {}),
    ...(search === undefined || search.trim() === '' ? {} : { search: { text: search.trim() } }),
  };
}

const LATEST_TIMESTAMP = '9999-12-31T23:59:59.999Z';

/** Converts a timestamp with any offset to the stored form: UTC with milliseconds and a four-digit year. */
export function toUtc(timestamp: string): string {
  const text = new Date(timestamp).toISOString();
  // Years beyond four digits begin with a sign, which sorts before every digit: correct for -, wrong for +.
  return text.startsWith('+') ? LATEST_TIMESTAMP : text;
}

/** A condition that a field has one of these values; undefined when the parameter is absent. */
export const whereIn = (field: string, values: readonly string[] | undefined): Condition | undefined =>
  values === undefined ? undefined : { field, in: values };
/** A condition that a field has this value; undefined when the parameter is absent. */
export const whereEquals = (field: string, value: string | boolean | undefined): Condition | undefined =>
  value === undefined ? undefined : { field, equals: value };

export function toPagination(query: { readonly page: number; readonly page_size: number }, total: number): Pagination {
  return { page: query.page, pageSize: query.page_size, total, totalPages: Math.ceil(total / query.page_size) };
}
