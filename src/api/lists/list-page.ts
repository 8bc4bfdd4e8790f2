/** A page of a list: by number, with the number of all rows, or after a cursor, which needs neither. D-21. */
import type { Pagination } from '../../contract/operation.ts';
import { invalidField } from '../../domain/kernel/errors.ts';
import type { PageQuery, ReadTable, Row, TableSpec, Value } from '../../domain/kernel/ports.ts';
import { type ReadTx, tables } from '../../domain/tables.ts';
import { type ListCursor, decodeCursor, encodeCursor } from './cursor.ts';
import { type ListParameters, toPagination } from './pagination.ts';

export type TableName = keyof typeof tables;
export type RowOf<T extends TableName> = ReadTx[T] extends ReadTable<infer R> ? R : never;

export interface ListPage<R> {
  readonly rows: readonly R[];
  readonly pagination: Pagination;
}

/** Reads the requested page of a table. */
export async function listPage<T extends TableName>(
  tx: ReadTx,
  name: T,
  parameters: ListParameters,
  { page, ...query }: PageQuery,
): Promise<ListPage<RowOf<T>>> {
  // The compiler cannot match the name of a table with its row type.
  const table = tx[name] as unknown as ReadTable<RowOf<T>>;
  const spec: TableSpec = tables[name];
  if (parameters.cursor === undefined) {
    const { rows, total } = await table.listPage({ ...query, page });
    return { rows, pagination: toPagination(parameters, total) };
  }
  checkNoPage(parameters);
  const { sort } = parameters;
  const steps = spec.orders[query.orderBy ?? ''] ?? [];
  const after = decodeCursor(
    parameters.cursor,
    sort,
    steps.map(({ field }) => spec.types[field] ?? 'string'),
  );
  const { rows, more } = await table.listAfter({ ...query, limit: page.size, ...(after && { after }) });
  const last = rows.at(-1);
  const place = (row: Row): ListCursor => ({ sort, values: steps.map(({ field }) => getOrderValue(row, field)), id: row.id });
  const next = more && last ? await stepBack(tx, place(last), after) : undefined;
  return { rows, pagination: toCursorPagination(parameters, next && encodeCursor(next)) };
}

export function checkNoPage({ page }: ListParameters): void {
  if (page !== undefined) throw invalidField('/page', 'page and cursor exclude each other', 'not_allowed', 'query');
}

/** With a cursor there is no number of pages. Typed as `Pagination`, whose fields for pages requests with a page always have. */
export const toCursorPagination = ({ page_size: pageSize }: ListParameters, nextCursor: string | undefined): Pagination =>
  ({ nextCursor: nextCursor ?? null, hasMore: nextCursor !== undefined, pageSize }) as Pagination;

/** The value of a field of an order, which is never an array. */
export function getOrderValue(row: Row, field: string): Value {
  const value: unknown = Reflect.get(row, field);
  return (value ?? null) as Value;
}

/**
 * The place from which a list of changes continues. The next commit may have the time of the last one, and rows that changed several times
 * in a millisecond have later times than their commit. So the next page repeats the rows with the time of the last commit and later ones,
 * unless it would repeat the whole page.
 */
export async function stepBack(tx: ReadTx, last: ListCursor, start: ListCursor | undefined): Promise<ListCursor> {
  const [updatedAt] = last.values;
  if (last.sort !== 'updated_at' || typeof updatedAt !== 'string') return last;
  const [newest] = (await tx.auditEvents.listAfter({ descending: true, limit: 1 })).rows;
  if (newest === undefined || updatedAt < newest.createdAt) return last;
  const [from] = start?.values ?? [];
  return typeof from === 'string' && from < newest.createdAt ? { ...last, values: [newest.createdAt], id: '' } : last;
}
