/** Walking a table from end to end without holding it, nor the store. */
import type { ReadTable, Row, TableSpec, Value } from './ports.ts';
import { type ReadTx, type StockroomTables, tables } from './tables.ts';

export type TableName = keyof StockroomTables;
export type RowOf<T extends TableName> = StockroomTables[T] extends TableSpec<infer R> ? R : never;
/** One read of the tenant that is checked; others get their turn between two of them. */
export type Reads = <T>(work: (tx: ReadTx) => Promise<T>) => Promise<T>;

const PAGE = 100;

/** A field of a row whose table is known only by name. */
export const fieldOf = (row: Row, field: string): unknown => (row as unknown as Readonly<Record<string, unknown>>)[field];

/**
 * Every page of the table, with what `look` has seen in the read that has fetched it. A read may have to be repeated,
 * so `look` changes nothing outside of itself.
 */
export async function* pagesOf<T extends TableName, V>(
  reads: Reads,
  name: T,
  look: (tx: ReadTx, rows: readonly RowOf<T>[]) => Promise<V>,
): AsyncGenerator<{ readonly rows: readonly RowOf<T>[]; readonly seen: V }> {
  const [orderBy = '', steps = []] = Object.entries(tables[name].orders)[0] ?? [];
  const positionOf = (row: Row) => ({ values: steps.map(({ field }) => (fieldOf(row, field) ?? null) as Value), id: row.id });
  let last: Row | undefined;
  for (;;) {
    const after = last ? { after: positionOf(last) } : {};
    const { rows, more, seen } = await reads(async (tx) => {
      // The compiler cannot tell that the table of a name has the rows of that name.
      const table = tx[name] as unknown as ReadTable<RowOf<T> & Row>;
      const page = await table.after({ orderBy, limit: PAGE, ...after });
      return { ...page, seen: await look(tx, page.rows) };
    });
    if (rows.length > 0) yield { rows, seen };
    if (!more) return;
    last = rows.at(-1);
  }
}
