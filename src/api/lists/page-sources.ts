/** Pages of lists whose rows come from several sources, one source after the other. */
import type { Query, ReadTable, Row } from '../../domain/kernel/ports.ts';

/** The rows at indexes from `from`, at most `count`. */
export interface Range {
  readonly from: number;
  readonly count: number;
}

export const ALL_ROWS: Range = { from: 0, count: 1_000_000 };

/** The rows of a range, and the number of all rows. */
export interface Found<R> {
  readonly rows: readonly R[];
  readonly total: number;
}

export type Source<R> = (range: Range) => Promise<Found<R>>;

/** The rows of a page of all sources. Every source is asked for its total, also when the page is full. */
export async function listFromSources<R>(
  { page, page_size: size }: { readonly page: number; readonly page_size: number },
  sources: readonly Source<R>[],
): Promise<Found<R>> {
  const first = (page - 1) * size;
  const rows: R[] = [];
  let total = 0;
  for (const list of sources) {
    const found = await list({ from: Math.max(0, first - total), count: size - rows.length });
    rows.push(...found.rows);
    total += found.total;
  }
  return { rows, total };
}

/** The range of a query, which at most two pages of its length contain. */
export async function listRange<R extends Row>(
  table: Pick<ReadTable<R>, 'listPage' | 'count'>,
  query: Query,
  { from, count }: Range,
): Promise<Found<R>> {
  if (count === 0) return { rows: [], total: await table.count(query) };
  const listPage = (number: number) => table.listPage({ ...query, page: { number, size: count } });
  const number = Math.floor(from / count) + 1;
  const start = from % count;
  const { rows, total } = await listPage(number);
  if (start === 0) return { rows, total };
  const next = await listPage(number + 1);
  return { rows: [...rows, ...next.rows].slice(start, start + count), total };
}
