/** The columns of a table: of each field that its specification names the key, as layout and sort-keys.ts define it. */
import type { Row, TableSpec } from '../../domain/kernel/ports.ts';
import { foldForSearch } from '../../contract/search-text.ts';
import { getKey, type Key } from '../compare.ts';
import { createTableLayout, extractKeys, getUniqueValue, type TableLayout } from '../table-layout.ts';
import { type ColumnType, SEARCH_SEPARATOR, SQL_TYPES, encodeText, toColumnValue } from './sort-keys.ts';

export interface KeyColumn {
  /** As in SQL, quoted. */
  readonly name: string;
  readonly field: string;
  readonly folded: boolean;
  readonly type: ColumnType;
}

export interface TableColumns {
  readonly spec: TableSpec;
  readonly layout: TableLayout;
  /** The table as in SQL, with its schema. */
  readonly name: string;
  /** In the order of the columns of the layout; the first is the id. */
  readonly keys: readonly KeyColumn[];
  /** One for each unique key: its value, or NULL for rows that are not compared. */
  readonly uniques: readonly { readonly name: string; readonly sqlName: string }[];
  readonly hasSearch: boolean;
  /** All columns but the tenant, with their SQL types, in the order of `toColumns`. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

export const SCHEMA = 'stockroom';

/** A name in SQL: words with underscores, quoted because it may be a keyword. */
export const toSqlName = (name: string): string => `"${toSnakeCase(name)}"`;

export const toSnakeCase = (name: string): string => name.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);

export function createTableColumns(spec: TableSpec): TableColumns {
  const layout = createTableLayout(spec);
  const arrays = new Set(spec.arrayFilters);
  const keys = layout.columns.map(({ field, folded }, at): KeyColumn => {
    const name = at === 0 ? '"id"' : toSqlName(`${folded ? 'folded' : 'key'}_${field}`);
    return { name, field, folded, type: arrays.has(field) ? 'texts' : (spec.types[field] ?? 'text') };
  });
  const uniques = layout.uniques.map(({ name }) => ({ name, sqlName: toSqlName(`unique_${name}`) }));
  const hasSearch = spec.search.length > 0;
  return {
    spec,
    layout,
    name: `${SCHEMA}.${toSqlName(`${spec.name}_rows`)}`,
    keys,
    uniques,
    hasSearch,
    columns: [
      ...keys.map(({ name, type }) => ({ name, type: SQL_TYPES[type] })),
      ...uniques.map(({ sqlName }) => ({ name: sqlName, type: 'text COLLATE "C"' })),
      ...(hasSearch ? [{ name: 'search', type: 'text COLLATE "C"' }] : []),
      { name: '"row"', type: 'json' },
    ],
  };
}

/** The values of all columns but the tenant. */
export function toColumnValues({ keys, layout, spec, hasSearch }: TableColumns, record: Row, text: string): unknown[] {
  const extracted = extractKeys(layout, record);
  const values = keys.map(({ type }, at) => toColumnValue(type, extracted[at]!));
  for (const unique of layout.uniques) values.push(toUniqueText(unique, extracted) ?? null);
  if (hasSearch) values.push(toSearchText(spec, record));
  values.push(text);
  return values;
}

/** What the column of a unique key holds; undefined when the row is not compared. */
export function toUniqueText(unique: TableLayout['uniques'][number], keys: readonly Key[]): string | undefined {
  const value = getUniqueValue(unique, keys);
  return value === undefined ? undefined : formatUniqueValue(value);
}

/** With its type, because `1` and `"1"` differ. */
export const formatUniqueValue = (value: unknown): string => encodeText(`${(typeof value)[0]!}${String(value)}`);

const toSearchText = ({ search }: TableSpec, record: Row): string =>
  search
    .map((field) => getKey(record, field, false))
    .map((key) => (typeof key === 'string' ? encodeText(foldForSearch(key)) : ''))
    .join(SEARCH_SEPARATOR);
