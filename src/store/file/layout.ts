/** A table's spec turned into columns: each field, folded or not, is kept once however many indexes use it. */
import type { Row, TableSpec, Value } from '../../domain/ports.ts';
import { foldsInOrders, type Key, keyOf } from './compare.ts';

interface Field {
  /** Column of the exact value. */
  readonly exact: number | undefined;
  readonly folded: number | undefined;
  /** Ranges and prefixes ignore case. */
  readonly folds: boolean;
}

export interface Layout {
  readonly spec: TableSpec;
  /** Column 0 is the id. */
  readonly columns: readonly { readonly field: string; readonly folded: boolean }[];
  readonly fields: ReadonlyMap<string, Field>;
  readonly orders: readonly {
    readonly name: string;
    readonly steps: readonly { readonly column: number; readonly descending: boolean }[];
    readonly grouped: boolean;
  }[];
  readonly uniques: readonly { readonly name: string; readonly columns: readonly number[]; readonly folded: boolean }[];
  /** Columns with an equality index. */
  readonly filters: readonly number[];
  readonly search: readonly number[];
  /** Tells whether a checkpoint's columns and orders are those of this spec. */
  readonly signature: string;
}

/** Works out the columns of a table. */
export function layoutOf(spec: TableSpec): Layout {
  const columns: { field: string; folded: boolean }[] = [];
  const column = (field: string, folded = false): number => {
    const at = columns.findIndex((each) => each.field === field && each.folded === folded);
    return at >= 0 ? at : columns.push({ field, folded }) - 1;
  };
  column('id');
  const orders = Object.entries(spec.orders).map(([name, steps]) => ({
    name,
    steps: steps.map((step) => ({ column: column(step.field, step.fold), descending: step.descending ?? false })),
    grouped: steps[0]?.grouped ?? false,
  }));
  if (orders.length === 0) throw new Error(`table ${spec.name} has no order`);
  const uniques = Object.entries(spec.unique).map(([name, key]) => ({
    name,
    columns: key.fields.map((field) => column(field, key.fold)),
    folded: key.fold ?? false,
  }));
  const filters = [...new Set(spec.filters.map((field) => column(field)))];
  for (const field of spec.columns) column(field);
  const search = [...new Set(spec.search.map((field) => column(field, true)))];
  const find = (field: string, folded: boolean): number | undefined => {
    const at = columns.findIndex((each) => each.field === field && each.folded === folded);
    return at < 0 ? undefined : at;
  };
  const fields = new Map(
    columns.map(
      ({ field }) => [field, { exact: find(field, false), folded: find(field, true), folds: foldsInOrders(spec, field) }] as const,
    ),
  );
  // Search fields alone are no conditions.
  const conditions = new Set([
    'id',
    ...spec.filters,
    ...spec.columns,
    ...Object.values(spec.orders).flatMap((steps) => steps.map((step) => step.field)),
    ...Object.values(spec.unique).flatMap((key) => key.fields),
  ]);
  for (const field of fields.keys()) if (!conditions.has(field)) fields.delete(field);
  const signature = JSON.stringify([columns, orders.map(({ name, steps }) => ({ name, steps }))]);
  return { spec, columns, fields, orders, uniques, filters, search, signature };
}

/** The row whose bytes lie there. */
export function rowIn({ spec }: Layout, buffer: Buffer, at: number, length: number): Row {
  const text = buffer.toString('utf8', at, at + length);
  return spec.form === undefined ? (JSON.parse(text) as Row) : spec.form.read(text);
}

/** A row as it is written. */
export const textOf = ({ spec }: Layout, row: Row): string => (spec.form === undefined ? JSON.stringify(row) : spec.form.write(row));

/** What the columns keep of a record. */
export function keysOf({ columns }: Layout, record: Row): Key[] {
  const keys: Key[] = [];
  for (let at = 0; at < columns.length; at++) keys.push(keyOf(record, columns[at]!.field, columns[at]!.folded));
  return keys;
}

/** The value that a unique key compares of a row with these keys, or undefined when it compares nothing. */
export function uniqueIn({ columns, folded }: Layout['uniques'][number], keys: readonly Key[]): Value | undefined {
  if (columns.length === 1) return partOf(keys[columns[0]!], folded);
  return uniqueValue(
    columns.map((column) => keys[column]),
    folded,
  );
}

/** The value a unique key compares, or undefined when it compares nothing. */
export function uniqueValue(keys: readonly (Key | undefined)[], folded: boolean): Value | undefined {
  if (keys.length === 1) return partOf(keys[0], folded);
  const parts: Value[] = [];
  for (const key of keys) {
    const part = partOf(key, folded);
    if (part === undefined) return undefined;
    parts.push(part);
  }
  return parts.map((part) => `${(typeof part)[0]}${part}`).join('\u0000');
}

function partOf(key: Key | undefined, folded: boolean): Value | undefined {
  if (key === null || key === undefined || typeof key === 'object') return undefined;
  if (typeof key !== 'string') return key;
  const trimmed = key.trim();
  if (trimmed === '') return undefined;
  return folded ? trimmed : key;
}
