/** Whether the store's indexes say the same as its rows. */
import { type TableName, fieldOf } from './check-walk.ts';
import type { ReadTable, Row, Value } from './ports.ts';
import { type ReadTx, tables } from './tables.ts';

/** Values counted per filter; of the rest only the rows are counted, so that memory stays bounded. */
const VALUES_MAX = 5_000;

/** Counts the rows of one table by the values of its filters, as a walk meets them. */
export class Tally {
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
      for (const each of new Set(valuesOf(row, field))) {
        const before = counts.get(each);
        if (before !== undefined || counts.size < VALUES_MAX) counts.set(each, (before ?? 0) + 1);
      }
    }
  }

  /** For each count that the indexes answer: a sentence when the walk has met another number of rows. */
  async compare(tx: ReadTx): Promise<(string | undefined)[]> {
    const table = tableOf(tx, this.#table);
    const all = await table.count();
    const compared = [all === this.#rows ? undefined : `${this.#table} counts ${String(all)} rows, a walk meets ${String(this.#rows)}`];
    for (const [field, counts] of this.#counts) {
      for (const [value, met] of counts) {
        const counted = await table.count({ where: [{ field, equals: value }] });
        compared.push(
          counted === met
            ? undefined
            : `${this.#table} has ${String(met)} rows with ${field} ${String(value)}, its index ${String(counted)}`,
        );
      }
    }
    return compared;
  }

  /** A row must be found by each text it has: a sentence for each by which it is not. */
  async search(tx: ReadTx, row: Row | undefined): Promise<(string | undefined)[]> {
    const seen: (string | undefined)[] = [];
    if (!row) return seen;
    const order = Object.values(tables[this.#table].orders)[0]?.[0]?.field ?? '';
    const same = { field: order, equals: (fieldOf(row, order) ?? null) as Value };
    for (const field of tables[this.#table].search) {
      const text = fieldOf(row, field);
      if (typeof text !== 'string' || text.trim() === '') continue;
      const found = await tableOf(tx, this.#table).count({ search: { text: text.trim() }, where: [same] });
      seen.push(found > 0 ? undefined : `${this.#table} ${row.id} is not found by its ${field}`);
    }
    return seen;
  }
}

const tableOf = (tx: ReadTx, name: TableName): ReadTable<Row> => tx[name];

/** What an index has of a field: each element of a list, null for an absent value. */
function valuesOf(row: Row, field: string): readonly Value[] {
  const value = fieldOf(row, field) ?? null;
  return (Array.isArray(value) ? value : [value]) as readonly Value[];
}
