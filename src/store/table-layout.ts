/** Derives the columns and indexes of a table from its spec. A field, folded or not, is kept in one column however many indexes use it. */
import type { Row, TableSpec, Value } from '../domain/kernel/ports.ts';
import { foldsInOrders, type Key, getKey } from './compare.ts';

interface Field {
  /** Column of the exact value, if there is one. */
  readonly exact: number | undefined;
  /** Column of the case-folded value, if there is one. */
  readonly folded: number | undefined;
  /** Whether ranges and prefixes ignore case. */
  readonly ignoresCase: boolean;
}

export interface OrderLayout {
  /** That of an order of the table, or `=` and the field of a filter. */
  readonly name: string;
  readonly steps: readonly { readonly column: number; readonly descending: boolean }[];
}

export interface TableLayout {
  readonly spec: TableSpec;
  /** Column 0 holds the id. */
  readonly columns: readonly { readonly field: string; readonly folded: boolean }[];
  readonly fields: ReadonlyMap<string, Field>;
  readonly orders: readonly OrderLayout[];
  /** The ordered indexes: one for each order, and one by value and id for each filter with which no order starts. */
  readonly indexes: readonly OrderLayout[];
  readonly uniques: readonly { readonly name: string; readonly columns: readonly number[]; readonly folded: boolean }[];
  /** By filter column: the name of the index that has its values in order. */
  readonly filterIndexes: ReadonlyMap<number, string>;
  /** Columns of arrays with posting lists of their elements. */
  readonly arrayColumns: readonly number[];
  readonly searchColumns: readonly number[];
}

/** Derives a table's layout from its spec. Throws when the table has no order. */
export function createTableLayout(spec: TableSpec): TableLayout {
  const columns: { field: string; folded: boolean }[] = [];
  const addColumn = (field: string, folded = false): number => {
    const at = columns.findIndex((column) => column.field === field && column.folded === folded);
    return at >= 0 ? at : columns.push({ field, folded }) - 1;
  };
  addColumn('id');
  const orders = Object.entries(spec.orders).map(([name, steps]) => ({
    name,
    steps: steps.map((step) => ({ column: addColumn(step.field, step.fold), descending: step.descending ?? false })),
  }));
  if (orders.length === 0) throw new Error(`table ${spec.name} has no order`);
  const uniques = Object.entries(spec.unique).map(([name, key]) => ({
    name,
    columns: key.fields.map((field) => addColumn(field, key.fold)),
    folded: key.fold ?? false,
  }));
  const filterIndexes = new Map<number, string>();
  const indexes: OrderLayout[] = [...orders];
  for (const field of spec.filters) {
    const column = addColumn(field);
    // An order that starts with the field has its values in order, too.
    const existing = orders.find(({ steps: [first] }) => first?.column === column && !first.descending);
    const name = existing?.name ?? `=${field}`;
    if (existing === undefined) indexes.push({ name, steps: [{ column, descending: false }] });
    filterIndexes.set(column, name);
  }
  const arrayColumns = spec.arrayFilters.map((field) => addColumn(field));
  for (const field of spec.columns) addColumn(field);
  const searchColumns = [...new Set(spec.search.map((field) => addColumn(field, true)))];
  const findColumn = (field: string, folded: boolean): number | undefined => {
    const at = columns.findIndex((each) => each.field === field && each.folded === folded);
    return at < 0 ? undefined : at;
  };
  const fields = new Map(
    columns.map(
      ({ field }) =>
        [field, { exact: findColumn(field, false), folded: findColumn(field, true), ignoresCase: foldsInOrders(spec, field) }] as const,
    ),
  );
  // Fields that are only searched cannot be named in conditions.
  const conditionFields = new Set([
    'id',
    ...spec.filters,
    ...spec.arrayFilters,
    ...spec.columns,
    ...Object.values(spec.orders).flatMap((steps) => steps.map((step) => step.field)),
    ...Object.values(spec.unique).flatMap((key) => key.fields),
  ]);
  for (const field of fields.keys()) if (!conditionFields.has(field)) fields.delete(field);
  return { spec, columns, fields, orders, indexes, uniques, filterIndexes, arrayColumns, searchColumns };
}

/** The keys of a record, one per column. */
export function extractKeys({ columns }: TableLayout, record: Row): Key[] {
  const keys: Key[] = [];
  for (let at = 0; at < columns.length; at++) keys.push(getKey(record, columns[at]!.field, columns[at]!.folded));
  return keys;
}

/** The value of a unique key for a row with these keys; undefined when the row has none and is not compared. */
export const getUniqueValue = ({ columns, folded }: TableLayout['uniques'][number], keys: readonly Key[]): Value | undefined =>
  toUniqueValue(
    columns.map((column) => keys[column]),
    folded,
  );

/** Combines the parts of a unique key into one value; undefined when a part is null, absent or blank. */
export function toUniqueValue(keys: readonly (Key | undefined)[], folded: boolean): Value | undefined {
  if (keys.length === 1) return normalizeUniquePart(keys[0], folded);
  const parts: Value[] = [];
  for (const key of keys) {
    const part = normalizeUniquePart(key, folded);
    if (part === undefined) return undefined;
    parts.push(part);
  }
  return parts.map((part) => `${(typeof part)[0]}${part}`).join('\u0000');
}

function normalizeUniquePart(key: Key | undefined, folded: boolean): Value | undefined {
  if (key === null || key === undefined || typeof key === 'object') return undefined;
  if (typeof key !== 'string') return key;
  const trimmed = key.trim();
  if (trimmed === '') return undefined;
  return folded ? trimmed : key;
}
