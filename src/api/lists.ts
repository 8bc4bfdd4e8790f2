/** Page-based lists: from query parameters to a store query, from rows to the wire. D-21. */
import type { Pagination } from '../contract/operation.ts';
import type { Condition, PageQuery } from '../domain/ports.ts';
import { JsonText } from './call.ts';
import type { RowText } from './row-text.ts';

export interface ListParameters {
  readonly page: number;
  readonly page_size: number;
  readonly search?: string;
  readonly updated_since?: string;
  readonly created_since?: string;
  readonly sort: string;
}

/** The store query of a list; `sort` names one of the table's orders, `where` are the list's own filters. */
export function pageQuery(query: ListParameters, where: readonly (Condition | undefined)[] = []): PageQuery {
  const { page, page_size: size, search, updated_since, created_since, sort } = query;
  const descending = sort.startsWith('-');
  const conditions = [
    ...where,
    updated_since === undefined ? undefined : { field: 'updatedAt', from: utc(updated_since) },
    created_since === undefined ? undefined : { field: 'createdAt', from: utc(created_since) },
  ].filter((condition) => condition !== undefined);
  return {
    page: { number: page, size },
    orderBy: descending ? sort.slice(1) : sort,
    descending,
    ...(conditions.length > 0 ? { where: conditions } : {}),
    ...(search === undefined || search.trim() === '' ? {} : { search: { text: search.trim() } }),
  };
}

const LATEST = '9999-12-31T23:59:59.999Z';

/** Stored timestamps are UTC with milliseconds; a caller's may have any offset, which may lead beyond the years of four digits. */
export function utc(timestamp: string): string {
  const text = new Date(timestamp).toISOString();
  // The sign before a longer year sorts in front of every digit: right for what is earlier, wrong for what is later.
  return text.startsWith('+') ? LATEST : text;
}

/** A condition for a list of allowed values, none when the parameter was not sent. */
export const among = (field: string, values: readonly string[] | undefined): Condition | undefined =>
  values === undefined ? undefined : { field, in: values };
export const equal = (field: string, value: string | boolean | undefined): Condition | undefined =>
  value === undefined ? undefined : { field, equals: value };

export function paginationOf(query: { readonly page: number; readonly page_size: number }, total: number): Pagination {
  return { page: query.page, pageSize: query.page_size, total, totalPages: Math.ceil(total / query.page_size) };
}

/** The body of a list whose rows are JSON texts already. */
export function joinPage(rows: readonly RowText<unknown>[], pagination: Pagination): JsonText {
  let text = '{"data":[';
  let between = '';
  // Bytes that are no characters of their own; around the rows everything is ASCII.
  let more = 0;
  for (const row of rows) {
    text += between + row.text;
    between = ',';
    more += row.bytes - row.text.length;
  }
  text += `],"pagination":${JSON.stringify(pagination)}}`;
  return new JsonText(text, text.length + more);
}
