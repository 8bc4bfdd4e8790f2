/** Walking a table from end to end without holding it, nor the store. */
import type { ReadTable, Row, TableSpec, Value } from './ports.ts';
import { type ReadTx, type StockroomTables, tables } from './tables.ts';

export type TableName = keyof StockroomTables;
export type RowOf<T extends TableName> = StockroomTables[T] extends TableSpec<infer R> ? R : never;
/** One read of the tenant that is checked; others get their turn between two of them. */
export type Reads = <T>(work: (tx: ReadTx) => Promise<T>) => Promise<T>;

const PAGE = 200;

/** Calls `visit` with every page of the table, in the read that has fetched it. */
export async function rowsOf<T extends TableName>(
  reads: Reads,
  name: T,
  visit: (tx: ReadTx, rows: readonly RowOf<T>[]) => Promise<void>,
): Promise<void> {
  const [orderBy = '', steps = []] = Object.entries(tables[name].orders)[0] ?? [];
  const positionOf = (row: Row) => ({
    values: steps.map(({ field }) => (row as unknown as Record<string, Value>)[field] ?? null),
    id: row.id,
  });
  let last: RowOf<T> | undefined;
  for (let more = true; more;) {
    more = await reads(async (tx) => {
      // The table of a name that is not known here: only the rows' common part can be read from it, and the caller knows the rest.
      const table = tx[name] as unknown as ReadTable<RowOf<T> & Row>;
      const found = await table.after({ orderBy, limit: PAGE, ...(last ? { after: positionOf(last) } : {}) });
      last = found.rows.at(-1);
      if (found.rows.length > 0) await visit(tx, found.rows);
      return found.more;
    });
  }
}
