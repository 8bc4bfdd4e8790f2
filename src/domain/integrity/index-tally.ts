/** Checks that the indexes of the store match its rows. */
import { type TableName, getField } from './table-walk.ts';
import type { ReadTable, Row, Value } from '../kernel/ports.ts';
import { type ReadTx, tables } from '../tables.ts';

/** Distinct values counted per filter; further values are not compared, so that memory and time stay bounded. */
const MAX_VALUES = 1_000;

/** Counts the rows of one table by the values of its filters, to compare with the indexes. */
export class IndexTally {
  readonly #table: TableName;
  readonly #counts: ReadonlyMap<string, Map<Value, number>>;
  #rows = 0;
  constructor(table: TableName) {
    this.#table = table;
    this.#counts = new Map(tables[table].filters.map((field) => [field, new Map<Value, number>()]));
  }

  add(row: Row): void {
    this.#rows += 1;
    for (const [field, counts] of this.#counts) {
      for (const value of new Set(getIndexedValues(row, field))) {
        const count = counts.get(value);
        if (count !== undefined || counts.size < MAX_VALUES) counts.set(value, (count ?? 0) + 1);
      }
    }
  }

  /** Compares with the indexes: a problem, or undefined, for each count. */
  async compare(tx: ReadTx): Promise<(string | undefined)[]> {
    const table = getTable(tx, this.#table);
    const all = await table.count();
    const mismatches = [all === this.#rows ? undefined : `${this.#table} has ${String(this.#rows)} rows, its count is ${String(all)}`];
    for (const [field, counts] of this.#counts) {
      const entries = [...counts];
      const counted = await table.countEach(field, [...counts.keys()]);
      for (const [at, [value, expected]] of entries.entries())
        mismatches.push(
          counted[at] === expected
            ? undefined
            : `${this.#table} has ${String(expected)} rows with ${field} ${String(value)}, its index has ${String(counted[at])}`,
        );
    }
    return mismatches;
  }

  /** Searches for the row by each of its searchable texts: a problem, or undefined, for each. */
  async findUnsearchable(tx: ReadTx, row: Row | undefined): Promise<(string | undefined)[]> {
    const problems: (string | undefined)[] = [];
    if (!row) return problems;
    const order = Object.values(tables[this.#table].orders)[0]?.[0]?.field ?? '';
    const sameOrderValue = { field: order, equals: (getField(row, order) ?? null) as Value };
    for (const field of tables[this.#table].search) {
      const text = getField(row, field);
      if (typeof text !== 'string' || text.trim() === '') continue;
      const found = await getTable(tx, this.#table).count({ search: { text: text.trim() }, where: [sameOrderValue] });
      problems.push(found > 0 ? undefined : `${this.#table} ${row.id} is not found by its ${field}`);
    }
    return problems;
  }
}

const getTable = (tx: ReadTx, name: TableName): ReadTable<Row> => tx[name];

/** The values of a field in an index: each element of a list, null for an absent value. */
function getIndexedValues(row: Row, field: string): readonly Value[] {
  const value = getField(row, field) ?? null;
  return (Array.isArray(value) ? value : [value]) as readonly Value[];
}
