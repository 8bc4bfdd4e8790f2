/** Reads the values of a row: of the cells of a CSV file, or of a line of NDJSON. */
import { type RecordKind, getRecordNames } from '../../contract/schema/record-kinds.ts';
import type { AnySchema, ObjectSpec } from '../../contract/schema/builder.ts';
import { Failure } from '../errors/failure.ts';
import { parseLosslessJson } from '../input/lossless-json.ts';
import { isId, isTimestamp } from '../output/fields.ts';
import { type Column, type ColumnMap, type ColumnPlan, type Decimal, parseCell } from './column-mapping.ts';
import { createMalformedFileError } from './records.ts';
import { type References, isNamed } from './references.ts';
import { ID, type RowProblem } from './bulk-resource.ts';

/** A cell that names another record than the id in the same row. */
export interface RenamedReference {
  readonly column: string;
  readonly text: string;
  /** The id of the record that the cell names; null for an empty cell. */
  readonly id: string | null;
}

export type RenamedReferences = Readonly<Record<string, RenamedReference>>;

export interface ParsedRow {
  readonly value: Readonly<Record<string, unknown>>;
  readonly toBody: () => string;
  readonly hasIgnoredId: boolean;
  readonly updatedAt?: string;
  readonly problems: readonly RowProblem[];
  readonly renamed: RenamedReferences;
  /** The cells that name the record of a field, for messages. */
  readonly names?: Readonly<Record<string, Pick<RenamedReference, 'column' | 'text'>>>;
  /** Returns the line and the column of a field, or of a field of a line: `lines`, `0`, `quantity`. */
  readonly locate: (path: readonly string[]) => Pick<RowProblem, 'line' | 'column'>;
}

/** A row of CSV, with the values as they are sent. */
export interface CellRow extends ParsedRow {
  readonly sent: Readonly<Record<string, unknown>>;
}

export function parseCells(cells: readonly string[], plan: ColumnPlan | undefined, line: number, decimal: Decimal): CellRow {
  const columns = plan?.columns ?? [];
  const value: Record<string, unknown> = {};
  const sent: Record<string, unknown> = {};
  const locate = ([field = '']: readonly string[]) => ({ line, column: columns.find((column) => column.field === field)?.name ?? field });
  if (cells.length !== columns.length) {
    const message = `${String(cells.length)} values for ${String(columns.length)} columns`;
    return { value, sent, toBody: () => '{}', locate, hasIgnoredId: false, renamed: {}, problems: [{ line, column: '', message }] };
  }
  for (const [at, { field, schema, namedBy }] of columns.entries()) {
    const cell = field === undefined || namedBy !== undefined ? undefined : parseCell(cells[at] ?? '', schema, decimal);
    if (field === undefined || !cell) continue;
    value[field] = cell.value;
    if (field !== ID) sent[field] = cell.sent;
  }
  const getIgnored = (column: string): string =>
    plan?.ignored.includes(column) === true ? (cells[columns.findIndex(({ name }) => name === column)] ?? '').trim() : '';
  const updatedAt = getIgnored('updatedAt');
  return {
    value,
    sent,
    toBody: () => JSON.stringify(sent),
    hasIgnoredId: getIgnored(ID) !== '',
    ...(isTimestamp(updatedAt) ? { updatedAt } : {}),
    problems: [],
    renamed: {},
    locate,
  };
}

interface NameCell {
  readonly column: string;
  readonly path: string;
  readonly text: string;
}

/** Replaces the names in the cells of a row by ids. */
export async function resolveCells(
  row: CellRow,
  cells: readonly string[],
  { columns }: ColumnPlan,
  references: References,
): Promise<CellRow> {
  const fields = new Set(columns.flatMap(({ field, schema }) => (field !== undefined && schema?.refersTo !== undefined ? [field] : [])));
  const ids: Record<string, string> = {};
  const renamed: Record<string, RenamedReference> = {};
  const shown: Record<string, NameCell> = {};
  const problems = [...row.problems];
  for (const field of fields) {
    const own = columns.flatMap((column, at) => (column.field === field ? [{ column, text: (cells[at] ?? '').trim() }] : []));
    const reference = readReference(own);
    if (reference === undefined) continue;
    const { kind, id, names, first } = reference;
    if (names.length === 0) {
      // A cell that was cleared next to the id, which an export has, too.
      if (id !== '' && first !== undefined) renamed[field] = { column: first, text: '', id: null };
      continue;
    }
    if (id !== '' && !(await references.isAvailable(kind))) continue;
    const found = await findReference(references, kind, id, names);
    if (names[0]) shown[field] = names[0];
    if ('message' in found) problems.push({ line: row.locate([field]).line, ...found });
    else if (id === '') ids[field] = found.id;
    else if (found.id !== id.toLowerCase()) renamed[field] = { column: names[0]?.column ?? '', text: names[0]?.text ?? '', id: found.id };
  }
  const sent = { ...row.sent, ...ids };
  return { ...row, value: { ...row.value, ...ids }, sent, toBody: () => JSON.stringify(sent), problems, renamed, names: shown };
}

interface RowReference {
  readonly kind: RecordKind;
  readonly id: string;
  /** The cells with names, the one that names the record best first. */
  readonly names: readonly NameCell[];
  /** The first column with names. */
  readonly first: string | undefined;
}

function readReference(own: readonly { readonly column: Column; readonly text: string }[]): RowReference | undefined {
  const kind = own[0]?.column.schema?.refersTo;
  if (kind === undefined) return undefined;
  const order = ['', ...Object.keys(getRecordNames(kind).fields)];
  const idCell = own.find(({ column }) => column.namedBy === undefined);
  const given = own.flatMap(({ column: { name, namedBy }, text }) =>
    namedBy === undefined ? [] : [{ column: name, path: namedBy, text }],
  );
  const isName = idCell !== undefined && idCell.text !== '' && !isId(idCell.text);
  const names = given.filter(({ text }) => text !== '').toSorted((a, b) => order.indexOf(a.path) - order.indexOf(b.path));
  return {
    kind,
    id: isName ? '' : (idCell?.text ?? ''),
    names: isName ? [{ column: idCell.column.name, path: '', text: idCell.text }] : names,
    first: given[0]?.column,
  };
}

async function findReference(
  references: References,
  kind: RecordKind,
  id: string,
  names: readonly NameCell[],
): Promise<{ readonly id: string } | Pick<RowProblem, 'column' | 'message'>> {
  const [best, ...others] = names;
  try {
    const found = await references.find(kind, new Map(names.map(({ path, text }) => [path, text])));
    const earlier = id === '' ? undefined : await references.getById(kind, id);
    const isKnown = ({ path, text }: NameCell) => isNamed(found, path, text) || (earlier !== undefined && isNamed(earlier, path, text));
    const wrong = others.find((cell) => !isKnown(cell));
    if (wrong === undefined) return found;
    const message = `${wrong.column} "${wrong.text}" is not that of ${best?.text ?? ''}, and an import cannot change it`;
    return { column: wrong.column, message };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { column: best?.column ?? '', message: [error.message, error.hint].filter(Boolean).join('. ') };
  }
}

/** Replaces the names in a body by ids, also in its lines. */
export async function resolveNames(schema: AnySchema, value: unknown, references: References): Promise<unknown> {
  if (schema.refersTo !== undefined && typeof value === 'string' && value.trim() !== '' && !isId(value))
    return (await references.find(schema.refersTo, new Map([['', value]]))).id;
  if (schema.kind === 'array' && Array.isArray(value))
    return Promise.all((value as readonly unknown[]).map((entry) => resolveNames(schema.items, entry, references)));
  if (schema.kind !== 'object' || typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(async ([name, each]: [string, unknown]) => {
    const field = schema.properties[name];
    return [name, field ? await resolveNames(field, each, references) : each] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** A row of NDJSON, with its body before names are replaced. */
export interface JsonRow extends ParsedRow {
  readonly toLossless: () => Readonly<Record<string, unknown>>;
}

interface JsonOptions {
  readonly map: ColumnMap;
  readonly readOnly: readonly string[];
  /** The fields of lines, if records have lines: others are those of a line that was exported. */
  readonly lines: ObjectSpec | undefined;
}

export function parseJsonRow(text: string, line: number, { map, readOnly, lines }: JsonOptions): JsonRow {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw createMalformedFileError(line, getJsonErrorPosition(error), `invalid JSON (${(error as Error).message})`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw createMalformedFileError(line, null, 'not a JSON object');
  // A rejected row of an earlier import.
  const given = value as Record<string, unknown>;
  const inner = given['row'];
  const isRefused = typeof inner === 'object' && inner !== null && 'line' in given && 'error' in given;
  const row = isRefused ? (inner as Record<string, unknown>) : given;
  const toField = (name: string): string | undefined => {
    const field = map.get(name) ?? name;
    return field === '' || (!map.has(name) && readOnly.includes(name)) ? undefined : field;
  };
  const mapFields = (from: Readonly<Record<string, unknown>>): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(from).flatMap(([name, each]) => {
        const field = toField(name);
        return field === undefined ? [] : [[field, field === 'lines' && lines ? pickLineFields(each, lines) : each]];
      }),
    );
  const isUnchanged = !isRefused && lines === undefined && Object.keys(row).every((name) => name !== ID && toField(name) === name);
  const toLossless = (): Record<string, unknown> => {
    const parsed = parseLosslessJson(text) as Record<string, unknown>;
    const { [ID]: _id, ...body } = mapFields((isRefused ? parsed['row'] : parsed) as Record<string, unknown>);
    return body;
  };
  const locate = ([field = '', ...more]: readonly string[]) => ({
    line,
    column: [[...map].find(([, to]) => to === field)?.[0] ?? field, ...more].join('.'),
  });
  return {
    value: mapFields(row),
    toLossless,
    toBody: isUnchanged ? () => text : () => JSON.stringify(toLossless()),
    hasIgnoredId: !map.has(ID) && readOnly.includes(ID) && (row[ID] ?? '') !== '',
    problems: [],
    renamed: {},
    locate,
  };
}

const pickLineFields = (lines: unknown, { properties }: ObjectSpec): unknown =>
  Array.isArray(lines)
    ? (lines as readonly unknown[]).map((line) =>
        typeof line === 'object' && line !== null ? Object.fromEntries(Object.entries(line).filter(([name]) => name in properties)) : line,
      )
    : lines;

/** Replaces the names in a row by ids. */
export async function resolveJsonRow(row: JsonRow, fields: ObjectSpec, references: References): Promise<ParsedRow> {
  try {
    const value = (await resolveNames(fields, row.value, references)) as Readonly<Record<string, unknown>>;
    if (JSON.stringify(value) === JSON.stringify(row.value)) return row;
    const body = JSON.stringify(await resolveNames(fields, row.toLossless(), references));
    return { ...row, value, toBody: () => body };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { line } = row.locate([]);
    return { ...row, problems: [{ line, column: '', message: [error.message, error.hint].filter(Boolean).join('. ') }] };
  }
}

const getJsonErrorPosition = (error: unknown): string | null => {
  const position = /position (\d+)/u.exec((error as Error).message)?.[1];
  return position === undefined ? null : `character ${String(Number(position) + 1)}`;
};
