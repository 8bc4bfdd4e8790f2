/** Reads the values of a row: of the cells of a CSV file, or of a line of NDJSON. */
import type { ObjectSpec } from '../../../contract/schema/builder.ts';
import { parseLosslessJson } from '../../lossless-json.ts';
import { isTimestamp } from '../../output/fields.ts';
import {
  type ColumnMap,
  type ColumnPlan,
  type Decimal,
  LINE_PREFIX,
  type NameColumns,
  getNameColumn,
  parseCell,
} from './column-mapping.ts';
import { createMalformedFileError } from './records.ts';
import type { References } from './references.ts';
import { type ReferenceCell, type NameCell, type RenamedReferences, type ResolvedReferences, resolveReferences } from './row-references.ts';
import { ID, type RowProblem } from '../bulk-resource.ts';

export type Values = Readonly<Record<string, unknown>>;

export interface ParsedRow {
  readonly value: Values;
  readonly toBody: () => string;
  /**
   * All that the file has of the row, also the names of records and values that are invalid: imported as a line of NDJSON, it is the same row.
   * Numbers keep their digits.
   */
  readonly getGiven: () => Values;
  /** Whether the row has an id that is not used. */
  readonly hasIgnoredId: boolean;
  /** When the record was changed, if the row is one of an export. */
  readonly updatedAt?: string;
  readonly problems: readonly RowProblem[];
  /** Cells that name other records than the ids next to them: one of both was edited. */
  readonly renamed: RenamedReferences;
  /** The cells that name the record of a field, for messages. */
  readonly names?: Readonly<Record<string, NameCell>>;
  /** Returns the line and the column of a field, or of a field of a line: `lines`, `0`, `quantity`. */
  readonly locate: (path: readonly string[]) => Pick<RowProblem, 'line' | 'column'>;
}

/** A row of CSV, with the values as they are sent. */
export interface CellRow extends ParsedRow {
  readonly sent: Values;
  /** The cells of ignored columns that distinguish records with lines. */
  readonly separators: readonly string[];
}

/** When the record was changed, which exports have: it decides between an id and a name that differ. */
const UPDATED_AT = 'updatedAt';

/** The cells of a row that cannot be assigned to columns. No record has such a field. */
const UNASSIGNED = 'cells';

export function parseCells(cells: readonly string[], plan: ColumnPlan | undefined, line: number, decimal: Decimal): CellRow {
  const columns = plan?.columns ?? [];
  const value: Record<string, unknown> = {};
  const sent: Record<string, unknown> = {};
  const given: Record<string, unknown> = {};
  const locate = ([field = '']: readonly string[]) => ({ line, column: columns.find((column) => column.field === field)?.name ?? field });
  const separators = columns.flatMap(({ separates }, at) => (separates ? [(cells[at] ?? '').trim()] : []));
  const row = { value, sent, separators, toBody: () => JSON.stringify(sent), getGiven: () => given, locate, renamed: {} };
  if (cells.length !== columns.length) {
    const isLine = columns.some(({ field }) => field?.startsWith(LINE_PREFIX));
    given[isLine ? LINE_PREFIX + UNASSIGNED : UNASSIGNED] = cells;
    const message = `${String(cells.length)} values for ${String(columns.length)} columns`;
    return { ...row, hasIgnoredId: false, problems: [{ line, column: '', message }] };
  }
  for (const [at, { field, schema, namedBy }] of columns.entries()) {
    const text = cells[at] ?? '';
    if (field === undefined) continue;
    if (namedBy !== undefined) {
      given[getNameColumn(field, namedBy)] = text.trim() === '' ? null : text;
      continue;
    }
    const cell = parseCell(text, schema, decimal);
    if (!cell) continue;
    value[field] = cell.value;
    given[field] = cell.sent;
    if (field !== ID) sent[field] = cell.sent;
  }
  const getIgnored = (column: string): string =>
    plan?.ignored.includes(column) === true ? (cells[columns.findIndex(({ name }) => name === column)] ?? '').trim() : '';
  const updatedAt = getIgnored(UPDATED_AT);
  if (!isTimestamp(updatedAt)) return { ...row, hasIgnoredId: getIgnored(ID) !== '', problems: [] };
  given[UPDATED_AT] = updatedAt;
  return { ...row, hasIgnoredId: getIgnored(ID) !== '', problems: [], updatedAt };
}

/** Replaces the names in the cells of a row by ids. */
export async function resolveCells(
  row: CellRow,
  cells: readonly string[],
  { columns }: ColumnPlan,
  references: References,
): Promise<CellRow> {
  const own = columns.map((column, at) => ({ column, text: (cells[at] ?? '').trim() }));
  const { ids, problems, ...found } = await resolveReferences(own, references);
  const sent = { ...row.sent, ...ids };
  const { line } = row.locate([]);
  return {
    ...row,
    ...found,
    value: { ...row.value, ...ids },
    sent,
    toBody: () => JSON.stringify(sent),
    problems: [...row.problems, ...problems.map((problem) => ({ line, ...problem }))],
  };
}

/** A row of NDJSON, before names are replaced. */
export interface JsonRow extends ParsedRow {
  readonly toLossless: () => Values;
  /** The values with the names of records. */
  readonly mapped: Values;
}

/** An object whose values may name records. */
export interface NamingObject {
  readonly schema: ObjectSpec;
  /** From `listNameColumns`. */
  readonly names: NameColumns;
}

export interface JsonOptions {
  readonly map: ColumnMap;
  readonly readOnly: readonly string[];
  /** The fields that rows can have. */
  readonly record: NamingObject;
  /** The fields of lines, if records have lines: others are those of a line that was exported. */
  readonly line: NamingObject | undefined;
  /** Fields with the same value in all records. */
  readonly preset: Values;
}

/** Text, or none. */
const isCell = (value: unknown): value is string | null => typeof value === 'string' || value === null;

const isObject = (value: unknown): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value);

export function parseJsonRow(text: string, line: number, { map, readOnly, record, line: lines, preset }: JsonOptions): JsonRow {
  const given = parseObject(text, line);
  // A rejected row of an earlier import.
  const isRejected = isObject(given['row']) && 'line' in given && 'error' in given;
  const getRow = (from: Values): Values => (isRejected ? (from['row'] as Values) : from);
  const row = getRow(given);
  const isName = (name: string, each: unknown): boolean => !map.has(name) && record.names.has(name) && isCell(each);
  const toField = (name: string): string | undefined => {
    const field = map.get(name) ?? name;
    return field === '' || (!map.has(name) && readOnly.includes(name)) ? undefined : field;
  };
  const pickLine = (each: unknown): unknown =>
    isObject(each) && lines
      ? filterFields(each, (name, value) => isRejected || name in lines.schema.properties || (lines.names.has(name) && isCell(value)))
      : each;
  const mapFields = (from: Values): Values =>
    Object.fromEntries(
      Object.entries(from).flatMap(([name, each]) => {
        if (isName(name, each)) return [[name, each]];
        const field = toField(name);
        if (field === undefined) return [];
        return [[field, field === 'lines' && lines && Array.isArray(each) ? each.map(pickLine) : each]];
      }),
    );
  const omitNames = (from: Values): Values => {
    const own = filterFields(from, (name, each) => !(record.names.has(name) && isCell(each)));
    const each = own['lines'];
    if (!lines || !Array.isArray(each)) return own;
    const omitLineNames = (entry: unknown) => (isObject(entry) ? filterFields(entry, (name) => !lines.names.has(name)) : entry);
    return { ...own, lines: each.map(omitLineNames) };
  };
  const isUnchanged =
    !isRejected &&
    lines === undefined &&
    Object.entries(row).every(([name, each]) => name !== ID && toField(name) === name && !isName(name, each));
  const toMapped = () => mapFields(getRow(parseLosslessJson(text) as Values));
  const toLossless = (): Values => ({ ...preset, ...filterFields(omitNames(toMapped()), (name) => name !== ID) });
  const locate = ([field = '', ...more]: readonly string[]) => ({
    line,
    column: [[...map].find(([, to]) => to === field)?.[0] ?? field, ...more].join('.'),
  });
  const updatedAt = readOnly.includes(UPDATED_AT) ? row[UPDATED_AT] : undefined;
  const dated = typeof updatedAt === 'string' && isTimestamp(updatedAt) ? { updatedAt } : {};
  const mapped = mapFields(row);
  return {
    value: { ...preset, ...omitNames(mapped) },
    mapped,
    toLossless,
    toBody: isUnchanged ? () => text : () => JSON.stringify(toLossless()),
    getGiven: () => ({ ...toMapped(), ...dated }),
    hasIgnoredId: !map.has(ID) && readOnly.includes(ID) && (row[ID] ?? '') !== '',
    ...dated,
    problems: [],
    renamed: {},
    locate,
  };
}

function parseObject(text: string, line: number): Values {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw createMalformedFileError(line, getJsonErrorPosition(error), `invalid JSON (${(error as Error).message})`);
  }
  if (!isObject(value)) throw createMalformedFileError(line, null, 'not a JSON object');
  return value;
}

const filterFields = (values: Values, keep: (name: string, value: unknown) => boolean): Values =>
  Object.fromEntries(Object.entries(values).filter(([name, each]) => keep(name, each)));

/** Replaces the names in a row by ids. */
export async function resolveJsonRow(row: JsonRow, { record, line: lines }: JsonOptions, references: References): Promise<ParsedRow> {
  const { line } = row.locate([]);
  const { mapped } = row;
  const problems: RowProblem[] = [...row.problems];
  const resolve = async (values: unknown, naming: NamingObject, prefix: string): Promise<ResolvedReferences> => {
    const found = await resolveReferences(isObject(values) ? listReferences(values, naming) : [], references);
    problems.push(...found.problems.map(({ field, column, message }) => ({ line, field, column: prefix + column, message })));
    return found;
  };
  const { ids, renamed, names } = await resolve(mapped, record, '');
  const lineIds: ResolvedReferences['ids'][] = [];
  if (lines && Array.isArray(mapped['lines']))
    for (const [at, each] of mapped['lines'].entries()) lineIds.push((await resolve(each, lines, `lines.${String(at)}.`)).ids);
  const setIds = (values: Values): Values => {
    const each = values['lines'];
    if (lineIds.length === 0 || !Array.isArray(each)) return { ...values, ...ids };
    return { ...values, ...ids, lines: each.map((entry: unknown, at) => (isObject(entry) ? { ...entry, ...lineIds[at] } : entry)) };
  };
  const hasIds = [ids, ...lineIds].some((each) => Object.keys(each).length > 0);
  const toBody = hasIds ? () => JSON.stringify(setIds(row.toLossless())) : row.toBody;
  return { ...row, value: setIds(row.value), toBody, problems, renamed, names };
}

/** The values of an object that name records, or are their ids. */
function listReferences(values: Values, { schema: { properties }, names }: NamingObject): ReferenceCell[] {
  return Object.entries(values).flatMap(([name, each]) => {
    const schema = properties[name];
    const column = schema?.refersTo === undefined ? names.get(name) : { field: name, schema };
    return column && isCell(each) ? [{ column: { name, ...column }, text: (each ?? '').trim() }] : [];
  });
}

const getJsonErrorPosition = (error: unknown): string | null => {
  const position = /position (\d+)/u.exec((error as Error).message)?.[1];
  return position === undefined ? null : `character ${String(Number(position) + 1)}`;
};
