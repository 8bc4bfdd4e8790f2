/**
 * Queries as SQL. The text depends only on the shape of a query, and all values are parameters, so that each shape is prepared once per
 * connection.
 */
import type { Condition, CursorQuery, PageQuery, Query, Row, Search, Subquery, Value } from '../../../domain/kernel/ports.ts';
import { foldForSearch } from '../../../contract/search-text.ts';
import { foldCase } from '../../case-folding.ts';
import { type Range, getKey } from '../../compare.ts';
import { type Statement, defineStatement } from '../database.ts';
import { type ColumnType, SEARCH_SEPARATOR, encodeText, getNullValue, isOfType, toColumnValue } from '../sort-keys.ts';
import type { KeyColumn, TableColumns } from '../table-columns.ts';

export interface Sql {
  readonly statement: Statement;
  readonly values: readonly unknown[];
}

/** Collects the parameters of a statement. `$1` is the tenant, unless the statement is for all of them. */
class Parameters {
  readonly values: unknown[];

  constructor(tenant?: string) {
    this.values = tenant === undefined ? [] : [tenant];
  }

  add(value: unknown, type = ''): string {
    this.values.push(value);
    return `$${String(this.values.length)}${type === '' ? '' : `::${type}`}`;
  }
}

/** Where the rows of a table that a subquery names are: those of this owner, or without one those of the tenant of each row. */
export type FindTable = (name: string) => { readonly columns: TableColumns; readonly owner?: string };

/** The tables of a query: the one it selects from, and those of its subquery. */
export interface QueryTables {
  readonly table: TableColumns;
  readonly findTable: FindTable;
}

interface OrderColumn {
  readonly column: KeyColumn;
  readonly isDescending: boolean;
}

/** From this offset on, the rows before a page are skipped in an index alone. For fewer, finding the rows by id again takes longer. */
export const MANY_SKIPPED = 1_000;

/** Selects one page: rows. */
export function selectPage(tables: QueryTables, tenant: string, query: PageQuery): Sql {
  const { table } = tables;
  const parameters = new Parameters(tenant);
  const where = toWhere(tables, query, parameters);
  const { number, size } = query.page;
  const offset = (number - 1) * size;
  const order = `ORDER BY ${formatOrder(listOrder(table, query))}`;
  const page = `FROM ${table.name} WHERE ${where} ${order} LIMIT ${parameters.add(size, 'bigint')} OFFSET ${parameters.add(offset, 'bigint')}`;
  if (offset < MANY_SKIPPED) return toSql(`SELECT "row" ${page}`, parameters);
  return toSql(`SELECT "row" FROM ${table.name} JOIN (SELECT tenant, "id" ${page}) AS page USING (tenant, "id") ${order}`, parameters);
}

/** Selects the rows after a position, one more than the limit. */
export function selectAfter(tables: QueryTables, tenant: string, query: CursorQuery): Sql {
  const { table } = tables;
  const parameters = new Parameters(tenant);
  const order = listOrder(table, query);
  const conditions = [toWhere(tables, query, parameters)];
  if (query.after !== undefined) conditions.push(toAfter(order, query.after, parameters));
  const limit = `LIMIT ${parameters.add(query.limit + 1, 'bigint')}`;
  return toSql(`SELECT "row" FROM ${table.name} WHERE ${conditions.join(' AND ')} ORDER BY ${formatOrder(order)} ${limit}`, parameters);
}

/** The position of a row in the order of a query, after which `selectAfter` begins. */
export function getPosition({ table }: QueryTables, query: Query, row: Row): NonNullable<CursorQuery['after']> {
  const steps = listOrder(table, query).slice(0, -1);
  return { values: steps.map(({ column }) => getKey(row, column.field, false) as Value), id: row.id };
}

export function selectCount(tables: QueryTables, tenant: string, query: Query): Sql {
  const { table } = tables;
  const parameters = new Parameters(tenant);
  return toSql(`SELECT count(*) FROM ${table.name} WHERE ${toWhere(tables, query, parameters)}`, parameters);
}

/** Counts the rows with each of these values of a filter: in their order. */
export function selectCounts({ table }: QueryTables, tenant: string, filter: string, values: readonly Value[]): Sql {
  const parameters = new Parameters(tenant);
  const column = table.keys[table.layout.fields.get(filter)?.exact ?? -1];
  if (column === undefined || column.type === 'texts') throw new Error(`table ${table.spec.name} has no filter ${filter}`);
  const keys = values.map((value) => toColumnValue(column.type, value));
  const wanted = `unnest(${parameters.add(keys, toArrayType(column.type))}) WITH ORDINALITY AS wanted (value, place)`;
  const counted = `SELECT count(*) FROM ${table.name} WHERE tenant = $1 AND ${column.name} = wanted.value`;
  return toSql(`SELECT (${counted}) FROM ${wanted} ORDER BY place`, parameters);
}

/** Selects the first row of each tenant: tenant and row. */
export function selectFirstRows(tables: QueryTables, query: Query): Sql {
  const { table } = tables;
  const parameters = new Parameters();
  const where = toWhere(tables, query, parameters);
  const order = formatOrder(listOrder(table, query));
  return toSql(`SELECT DISTINCT ON (tenant) tenant, "row" FROM ${table.name} WHERE ${where} ORDER BY tenant, ${order}`, parameters);
}

const toSql = (text: string, { values }: Parameters): Sql => ({ statement: defineStatement(text), values });

/** The columns of the order of a query, ending with the id. */
function listOrder({ layout, keys, spec }: TableColumns, { orderBy, descending = false }: Query): OrderColumn[] {
  const order = layout.orders.find(({ name }) => name === (orderBy ?? layout.orders[0]!.name));
  if (order === undefined) throw new Error(`table ${spec.name} has no order ${String(orderBy)}`);
  const steps = order.steps.map((step) => ({ column: keys[step.column]!, isDescending: step.descending !== descending }));
  return [...steps, { column: keys[0]!, isDescending: descending }];
}

const formatOrder = (order: readonly OrderColumn[]): string =>
  order.map(({ column, isDescending }) => `${column.name}${isDescending ? ' DESC' : ''}`).join(', ');

/** Rows strictly after a position. One comparison of all columns where they have the same direction, because an index serves that. */
function toAfter(order: readonly OrderColumn[], after: NonNullable<CursorQuery['after']>, parameters: Parameters): string {
  const positions = order.map(({ column }, at) => {
    const value = at === order.length - 1 ? after.id : (after.values[at] ?? null);
    const folded = column.folded && typeof value === 'string' ? foldCase(value) : value;
    return parameters.add(toColumnValue(column.type, folded), toParameterType(column.type));
  });
  const [first] = order;
  if (order.every(({ isDescending }) => isDescending === first!.isDescending))
    return `(${order.map(({ column }) => column.name).join(', ')}) ${first!.isDescending ? '<' : '>'} (${positions.join(', ')})`;
  const alternatives = order.map(({ column, isDescending }, at) => {
    const equal = order.slice(0, at).map((each, before) => `${each.column.name} = ${positions[before]!}`);
    return [...equal, `${column.name} ${isDescending ? '<' : '>'} ${positions[at]!}`].join(' AND ');
  });
  return `(${alternatives.map((each) => `(${each})`).join(' OR ')})`;
}

function toWhere({ table, findTable }: QueryTables, { where = [], search }: Query, parameters: Parameters): string {
  const conditions = parameters.values.length > 0 ? ['tenant = $1'] : [];
  for (const condition of where) conditions.push(toCondition(table, condition, parameters));
  const searched = search && toSearch({ table, findTable }, search, parameters);
  if (searched !== undefined) conditions.push(searched);
  return conditions.length === 0 ? 'true' : conditions.join(' AND ');
}

/** By its schema: a function for these types in another one would be a better match than that of the server, which is for any array. */
const OVERLAPS = 'OPERATOR(pg_catalog.&&)';

/** Undefined for an empty text, which matches every row. */
function toSearch({ table, findTable }: QueryTables, { text, or }: Search, parameters: Parameters): string | undefined {
  const pattern = toPattern(text);
  if (pattern === undefined) return undefined;
  const own = table.hasSearch ? `search LIKE ${parameters.add(pattern, 'text')}` : 'false';
  if (or === undefined) return own;
  const ids = toSubquery(table, findTable(or.in.table), or.in, parameters);
  const field = table.layout.fields.get(or.field);
  if (field === undefined) throw new Error(`table ${table.spec.name} has no condition on ${or.field}`);
  const column = field.exact === undefined ? undefined : table.keys[field.exact];
  if (column?.type === 'texts') return `(${own} OR ${column.name} ${OVERLAPS} ARRAY(${ids}))`;
  return `(${own} OR ${column?.name ?? `"row" ->> '${or.field}'`} IN (${ids}))`;
}

/** Selects ids of another table: by index all rows of which some field contains the text, then those of which this one does. */
function toSubquery(
  outer: TableColumns,
  { columns, owner }: ReturnType<FindTable>,
  { field, search }: Subquery,
  parameters: Parameters,
): string {
  const at = columns.spec.search.indexOf(field);
  if (at < 0) throw new Error(`table ${columns.spec.name} does not search ${field}`);
  const tenant = owner === undefined ? `${outer.name}.tenant` : parameters.add(owner, 'text');
  const pattern = toPattern(search);
  const conditions = [`tenant = ${tenant}`];
  // Every text contains an empty one, and null is no text.
  if (pattern === undefined) conditions.push(`"row" ->> '${field}' IS NOT NULL`);
  else {
    const parameter = parameters.add(pattern, 'text');
    const part = String(at + 1);
    conditions.push(
      `search LIKE ${parameter}`,
      `split_part(search, ${parameters.add(SEARCH_SEPARATOR, 'text')}, ${part}) LIKE ${parameter}`,
    );
  }
  return `SELECT "id" FROM ${columns.name} WHERE ${conditions.join(' AND ')}`;
}

/** The pattern for LIKE; undefined for an empty text. */
function toPattern(text: string): string | undefined {
  const folded = foldForSearch(text);
  return folded === '' ? undefined : `%${encodeText(folded).replaceAll(/[\\%_]/gu, String.raw`\$&`)}%`;
}

function toCondition(table: TableColumns, condition: Condition, parameters: Parameters): string {
  const field = table.layout.fields.get(condition.field);
  if (field === undefined) throw new Error(`table ${table.spec.name} has no condition on ${condition.field}`);
  const [exact, folded] = [field.exact, field.folded].map((at) => (at === undefined ? undefined : table.keys[at]));
  if ('equals' in condition) return toIn(condition.field, exact, folded, [condition.equals], parameters);
  if ('in' in condition) return toIn(condition.field, exact, folded, condition.in, parameters);
  return toRange(condition, field.ignoresCase ? folded : exact, field.ignoresCase, parameters);
}

function toIn(
  field: string,
  exact: KeyColumn | undefined,
  folded: KeyColumn | undefined,
  values: readonly Value[],
  parameters: Parameters,
): string {
  const column = exact ?? folded!;
  const hasNull = values.includes(null);
  const wanted = values.filter((value) => value !== null && isOfType(column.type, value));
  if (column.type === 'texts') {
    const contains = `${column.name} ${OVERLAPS} ${parameters.add(
      wanted.map((each) => encodeText(String(each))),
      'text[]',
    )}`;
    return hasNull ? `(${contains} OR ${column.name} IS NULL)` : contains;
  }
  if (exact === undefined) {
    // The column holds folded values; the exact value is in the row.
    const keys = wanted.map((value) => (typeof value === 'string' ? encodeText(foldCase(value)) : value));
    const exactValues = wanted.map(String).filter(isStorable);
    const match = `(${column.name} = ANY(${parameters.add(keys, toArrayType(column.type))}) AND "row" ->> '${field}' = ANY(${parameters.add(exactValues, 'text[]')}))`;
    return hasNull ? `(${match} OR ${column.name} = ${parameters.add(getNullValue(column.type), toParameterType(column.type))})` : match;
  }
  const keys = [...wanted.map((value) => toColumnValue(column.type, value)), ...(hasNull ? [getNullValue(column.type)] : [])];
  if (values.length === 1) return keys.length === 0 ? 'false' : `${column.name} = ${parameters.add(keys[0], toParameterType(column.type))}`;
  return `${column.name} = ANY(${parameters.add(keys, toArrayType(column.type))})`;
}

/** Whether a field of a row can be this text. PostgreSQL has neither NUL nor lone surrogates, and refuses parameters with them. */
const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

/** A range or prefix. `column` is undefined when the field is kept only folded but compared exactly: then the row has its value. */
function toRange(condition: Range, column: KeyColumn | undefined, isFolded: boolean, parameters: Parameters): string {
  const type = column?.type ?? 'text';
  const name = column?.name ?? `("row" ->> '${condition.field}') COLLATE "C"`;
  const isKey = column !== undefined;
  const toBound = (value: string | number): string => {
    const key = typeof value === 'string' && isFolded ? foldCase(value) : value;
    return parameters.add(isKey ? toColumnValue(type, key) : key, toParameterType(type));
  };
  const isNotNull = (): string =>
    isKey ? `${name} < ${parameters.add(getNullValue(type), toParameterType(type))}` : `${name} IS NOT NULL`;
  const { prefix } = 'prefix' in condition ? condition : {};
  if (prefix !== undefined && !isKey && !isStorable(prefix)) return 'false';
  if ('prefix' in condition) return type === 'text' ? `(${name} ^@ ${toBound(condition.prefix)} AND ${isNotNull()})` : 'false';
  const bounds = (
    [
      ['>=', condition.from],
      ['>', condition.after],
      ['<=', condition.to],
      ['<', condition.before],
    ] as const
  ).filter((bound): bound is readonly ['>=' | '>' | '<=' | '<', string | number] => bound[1] !== undefined);
  if (bounds.some(([, value]) => !isOfType(type, value))) return 'false';
  return `(${[isNotNull(), ...bounds.map(([operator, value]) => `${name} ${operator} ${toBound(value)}`)].join(' AND ')})`;
}

const toParameterType = (type: ColumnType): string =>
  type === 'number' ? 'double precision' : type === 'boolean' ? 'smallint' : type === 'texts' ? 'text[]' : 'text';
const toArrayType = (type: ColumnType): string => `${toParameterType(type)}[]`;
