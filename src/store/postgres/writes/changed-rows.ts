/** Changes of rows that are not committed, or not even sent to the database. */
import { toBinaryArray } from '../binary-array.ts';
import type { Connection } from '../database.ts';
import { CachedRow } from '../reads/partition-cache.ts';
import type { StoredTable } from '../reads/partition-reader.ts';
import { encodeText } from '../sort-keys.ts';
import { isArray, toElementType } from '../reads/statements.ts';
import type { TableColumns } from '../table-columns.ts';

/** Rows of one statement: its parameters are arrays in memory. */
const ROWS_PER_STATEMENT = 5_000;

/** The last version of a changed row. */
export interface ChangedRow {
  readonly id: string;
  /** Undefined when the row was removed. */
  readonly cached: CachedRow | undefined;
  /** The values of its columns; none for a removed row. */
  readonly values: readonly unknown[];
  /** Whether the database certainly has no row with this id. */
  readonly isNew: boolean;
}

/** The changed rows of one table by id, with an index of each column that was searched. */
export class ChangedRows extends Map<string, ChangedRow> {
  readonly #indexes = new Map<number, Map<unknown, ChangedRow[]>>();

  override set(id: string, row: ChangedRow): this {
    for (const [column, index] of this.#indexes) addToIndex(index, column, row);
    return super.set(id, row);
  }

  /** The rows with this value in a column. */
  findByColumn(column: number, value: unknown): ChangedRow[] {
    let index = this.#indexes.get(column);
    if (index === undefined) {
      index = new Map();
      for (const row of this.values()) addToIndex(index, column, row);
      this.#indexes.set(column, index);
    }
    // Earlier versions stay in the index.
    return (index.get(value) ?? []).filter((row) => this.get(row.id) === row);
  }
}

function addToIndex(index: Map<unknown, ChangedRow[]>, column: number, row: ChangedRow): void {
  const value = row.values[column];
  const rows = index.get(value);
  if (rows === undefined) index.set(value, [row]);
  else rows.push(row);
}

/** `text`: the row as JSON, also its last value. */
export const createPutRow = (id: string, text: string, values: readonly unknown[], isNew: boolean): ChangedRow => ({
  id,
  cached: new CachedRow(id, { text }),
  values,
  isNew,
});

export const createRemovedRow = (id: string): ChangedRow => ({ id, cached: undefined, values: [], isNew: false });

/** The value of a unique key among the column values; null when the row is not compared. */
export const getUniqueText = (values: readonly unknown[], { keys }: TableColumns, unique: number): string | null =>
  values[keys.length + unique] as string | null;

/** The changed row with a value of a unique key. */
export const findChangedByUnique = (changed: ChangedRows, { keys }: TableColumns, unique: number, text: string): ChangedRow | undefined =>
  changed.findByColumn(keys.length + unique, text).find(({ cached }) => cached !== undefined);

/** Sends changes. Returns a promise of each statement; the next one need not wait for it. */
export function sendChanges(connection: Connection, table: StoredTable, owner: string, changed: Iterable<ChangedRow>): Promise<unknown>[] {
  const { statements, columns } = table;
  const sent: Promise<unknown>[] = [];
  const {
    removed = [],
    added = [],
    put = [],
  } = Object.groupBy(changed, ({ cached, isNew }) => (cached === undefined ? 'removed' : isNew ? 'added' : 'put'));
  if (removed.length > 0) sent.push(connection.query(statements.remove, [owner, removed.map(({ id }) => encodeText(id))]));
  for (const [statement, rows] of [
    [statements.add, added],
    [statements.put, put],
  ] as const)
    for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) {
      const values = toParameters(columns, rows.slice(at, at + ROWS_PER_STATEMENT));
      sent.push(connection.query(statement, [owner, ...values]));
    }
  return sent;
}

/** One array for each column. */
function toParameters({ columns }: TableColumns, rows: readonly ChangedRow[]): Buffer[] {
  return columns.map(({ type }, at) => {
    const column = rows.map(({ values }) => values[at]);
    const isJson = isArray(type);
    const texts = isJson ? column.map((value) => (value === null ? null : JSON.stringify(value))) : column;
    return toBinaryArray(toElementType(type), texts);
  });
}
