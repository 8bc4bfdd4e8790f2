/** The statements of a table that do not depend on a query: rows by id or unique value, and changes. */
import { type ElementTypeName, isElementType } from '../binary-array.ts';
import { SHORT_TIMEOUT_MS, type Statement, defineStatement } from '../database.ts';
import type { TableColumns } from '../table-columns.ts';

export interface TableStatements {
  /** `$1` tenant, `$2` id. Returns the row. */
  readonly getOne: Statement;
  /** `$1` tenant, `$2` ids. Returns the rows and the ids. */
  readonly getMany: Statement;
  /** `$1` tenant, `$2` ids. Returns those without a row. */
  readonly listMissing: Statement;
  /** By unique key. `$1` tenant, `$2` values. Returns the rows and the values. */
  readonly findUnique: readonly Statement[];
  /** By unique key. `$1` tenant, `$2` values. Returns the ids of the rows and the values. */
  readonly findUniqueIds: readonly Statement[];
  /** `$1` tenant, then an array for each column. Of rows that do not exist: the server takes a tenth less time than for `put`. */
  readonly add: Statement;
  /** As `add`, of rows that may exist. */
  readonly put: Statement;
  /** `$1` tenant, `$2` ids. */
  readonly remove: Statement;
}

export function createTableStatements({ name, columns, uniques }: TableColumns): TableStatements {
  const names = columns.map((column) => column.name);
  // PostgreSQL has no arrays of arrays of different lengths: arrays travel as JSON.
  const arrays = columns.map(({ type }, at) => `$${String(at + 2)}::${toElementType(type)}[]`);
  const selected = columns.map(({ type }, at) => (isArray(type) ? toTextArray(`c${String(at)}`) : `c${String(at)}`));
  const aliases = columns.map((_, at) => `c${String(at)}`);
  const insert = `INSERT INTO ${name} (tenant, ${names.join(', ')}) SELECT $1, ${selected.join(', ')} FROM unnest(${arrays.join(', ')}) AS input (${aliases.join(', ')})`;
  return {
    getOne: defineStatement(`SELECT "row" FROM ${name} WHERE tenant = $1 AND "id" = $2`, SHORT_TIMEOUT_MS),
    getMany: selectEach(name, '"id"'),
    listMissing: defineStatement(
      `SELECT wanted.value FROM pg_catalog.unnest($2::text[]) AS wanted (value) LEFT JOIN LATERAL
         (SELECT true AS exists FROM ${name} WHERE tenant = $1 AND "id" = wanted.value COLLATE "C" LIMIT 1) AS found ON true
       WHERE found.exists IS NULL`,
    ),
    findUnique: uniques.map(({ sqlName }) => selectEach(name, sqlName)),
    findUniqueIds: uniques.map(({ sqlName }) => selectEach(name, sqlName, '"id"')),
    add: defineStatement(insert),
    put: defineStatement(
      `${insert} ON CONFLICT (tenant, "id") DO UPDATE SET ${names.map((each) => `${each} = excluded.${each}`).join(', ')}`,
    ),
    remove: defineStatement(`DELETE FROM ${name} WHERE tenant = $1 AND "id" = ANY($2)`),
  };
}

/**
 * Selects the rows with these values of a unique column, or another column of theirs, and the values. One look-up for each: with `= ANY`, a planner without statistics,
 * which takes a tenant for small, may read all rows of the tenant by another index. The server plans this each time, because it expects a
 * plan for few values to be better.
 */
const selectEach = (table: string, column: string, selected = '"row"'): Statement =>
  defineStatement(
    `SELECT found.* FROM pg_catalog.unnest($2::text[]) AS wanted (value) CROSS JOIN LATERAL
       (SELECT ${selected}, ${column} FROM ${table} WHERE tenant = $1 AND ${column} = wanted.value COLLATE "C" LIMIT 1) AS found`,
  );

export const isArray = (sqlType: string): boolean => sqlType.includes('[]');
/** The type of the values of a column on the way to the server. */
export const toElementType = (sqlType: string): ElementTypeName => {
  const type = isArray(sqlType) ? 'json' : sqlType.replace(' COLLATE "C"', '');
  if (!isElementType(type)) throw new Error(`no array of ${type} can be sent`);
  return type;
};
/** Null stays null. */
const toTextArray = (json: string): string =>
  `CASE WHEN json_typeof(${json}) = 'array' THEN ARRAY(SELECT json_array_elements_text(${json})) END`;
