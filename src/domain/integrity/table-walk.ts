/** Reads a table from end to end, one page per read, without blocking the store. */
import type { ReadTable, Row, TableSpec, Value } from '../kernel/ports.ts';
import { type ReadTx, type StockroomTables, tables } from '../tables.ts';

export type TableName = keyof StockroomTables;
export type TableRow<T extends TableName> = StockroomTables[T] extends TableSpec<infer R> ? R : never;
/** Runs one read of the tenant that is checked. Other work runs between two reads. */
export type TenantReader = <T>(work: (tx: ReadTx) => Promise<T>) => Promise<T>;

const PAGE_SIZE = 100;

/** A field of a row whose table is known only by name. */
export const getField = (row: Row, field: string): unknown => (row as unknown as Readonly<Record<string, unknown>>)[field];

/**
 * Every page of the table, with the result of `inspect` in the same read. A read may be repeated, so `inspect` must not have side effects.
 */
export async function* readPages<T extends TableName, V>(
  read: TenantReader,
  name: T,
  inspect: (tx: ReadTx, rows: readonly TableRow<T>[]) => Promise<V>,
): AsyncGenerator<{ readonly rows: readonly TableRow<T>[]; readonly result: V }> {
  const [orderBy = '', steps = []] = Object.entries(tables[name].orders)[0] ?? [];
  const toPosition = (row: Row) => ({ values: steps.map(({ field }) => (getField(row, field) ?? null) as Value), id: row.id });
  let last: Row | undefined;
  for (;;) {
    const after = last ? { after: toPosition(last) } : {};
    const { rows, more, result } = await read(async (tx) => {
      // The compiler cannot match the name of a table with its row type.
      const table = tx[name] as unknown as ReadTable<TableRow<T> & Row>;
      const page = await table.listAfter({ orderBy, limit: PAGE_SIZE, ...after });
      return { ...page, result: await inspect(tx, page.rows) };
    });
    if (rows.length > 0) yield { rows, result };
    if (!more) return;
    last = rows.at(-1);
  }
}
