/** Reads a table from end to end, one page per read, without blocking the store. */
import type { ReadTable, Row, TableSpec, Value } from '../kernel/ports.ts';
import { type ReadTx, type StockroomTables, tables } from '../tables.ts';

export type TableName = keyof StockroomTables;
export type TableRow<T extends TableName> = StockroomTables[T] extends TableSpec<infer R> ? R : never;
/** Runs one read of the tenant that is checked. Other work runs between two reads. */
export interface TenantReader {
  <T>(work: (tx: ReadTx) => Promise<T>): Promise<T>;
  /** Called with the number of rows of each page of a walk. */
  readonly onRows?: (count: number) => void;
}

const PAGE_SIZE = 500;

/** The order in which tables are walked: their first one, with its fields. */
function getWalk(name: TableName) {
  const [orderBy = '', steps = []] = Object.entries(tables[name].orders)[0] ?? [];
  return { orderBy, fields: steps.map(({ field }) => field) };
}

// The compiler cannot match the name of a table with its row type.
const getTable = <T extends TableName>(tx: ReadTx, name: T) => tx[name] as unknown as ReadTable<TableRow<T> & Row>;

/** The rows after a row, or the first ones. */
export async function readPage<T extends TableName>(
  tx: ReadTx,
  name: T,
  { limit, last }: { readonly limit: number; readonly last: Row | undefined },
): Promise<{ readonly rows: readonly (TableRow<T> & Row)[]; readonly more: boolean }> {
  const { orderBy, fields } = getWalk(name);
  const after = last && { values: fields.map((field) => (getField(last, field) ?? null) as Value), id: last.id };
  return getTable(tx, name).listAfter({ orderBy, limit, ...(after && { after }) });
}

/** The row that `readPage` returns last. */
export async function readLastRow(tx: ReadTx, name: TableName): Promise<Row | undefined> {
  const { rows } = await getTable(tx, name).listAfter({ orderBy: getWalk(name).orderBy, descending: true, limit: 1 });
  return rows[0];
}

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
  let last: Row | undefined;
  for (;;) {
    const { rows, more, result } = await read(async (tx) => {
      const page = await readPage(tx, name, { limit: PAGE_SIZE, last });
      return { ...page, result: await inspect(tx, page.rows) };
    });
    read.onRows?.(rows.length);
    if (rows.length > 0) yield { rows, result };
    if (!more) return;
    last = rows.at(-1);
  }
}
