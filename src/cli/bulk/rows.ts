/** Converts the records of a file to request bodies, and validates them like the service. */
import type { FieldProblem } from '../../contract/errors.ts';
import type { Operation } from '../../contract/operation.ts';
import type { AnySchema, ObjectSpec } from '../../contract/schema/builder.ts';
import { parseLosslessJson } from '../input/lossless-json.ts';
import { isId } from '../output/fields.ts';
import { type ColumnMap, type ColumnPlan, parseCell, planColumns } from './column-mapping.ts';
import { type Header, type FileRecord, createMalformedFileError } from './records.ts';
import { type SeenValues, createSeenValues } from './seen-values.ts';

/** A resource that can be imported. */
export interface BulkResource {
  /** Singular: `item`. */
  readonly noun: string;
  readonly create: Operation & { readonly body: ObjectSpec };
  readonly update: Operation & { readonly body: ObjectSpec };
  readonly get: Operation;
  readonly list: Operation;
  /** The schema of one record. */
  readonly record: AnySchema;
  /** The field that `--upsert` can find records by, besides the id, and the term for it. */
  readonly key: { readonly field: string; readonly term: string };
  /** Fields with unique values, ignoring case. */
  readonly unique: readonly string[];
}

export interface RowProblem {
  readonly line: number;
  readonly column: string;
  readonly message: string;
}

export interface Row {
  /** Number of the row, from 1. */
  readonly number: number;
  readonly line: number;
  /** The body as JSON text, without the id of `--upsert id`. */
  readonly body: string;
  /** The values of the body. */
  readonly value: Readonly<Record<string, unknown>>;
  /** The value of the field of `--upsert`. */
  readonly key: string | undefined;
  /** Whether the row has an id that is not used. */
  readonly hasIgnoredId: boolean;
  readonly problems: readonly RowProblem[];
  /** Required fields that the row does not have. */
  readonly missing: readonly string[];
}

export interface RowOptions {
  readonly resource: BulkResource;
  readonly map: ColumnMap;
  /** The field of `--upsert`. */
  readonly upsert: string | undefined;
  /** Called when the header was read. */
  readonly onPlan?: (plan: ColumnPlan) => void;
  /** Validates a body. `isUpdate`: of a record that exists, where omitted fields are unchanged. */
  readonly check: (body: unknown, isUpdate: boolean) => readonly Pick<FieldProblem, 'path' | 'code' | 'message'>[];
}

/** Identifies a record with `--upsert id`; never a field of a body. */
export const ID = 'id';

/** The fields that columns can have: those of a new record, and with `--upsert id` its id. */
export const listMappedFields = ({ create }: BulkResource, upsert: string | undefined): ObjectSpec =>
  upsert === ID
    ? { kind: 'object', properties: { [ID]: { kind: 'string', format: 'uuid', nullable: true }, ...create.body.properties } }
    : create.body;

/** Yields all rows, valid or not. Throws if the rest of the file cannot be parsed. */
export async function* parseRows(records: AsyncIterable<Header | FileRecord>, options: RowOptions): AsyncGenerator<Row> {
  const { resource, map, upsert, onPlan } = options;
  const fields = listMappedFields(resource, upsert);
  const readOnly = listReadOnlyFields(resource, fields);
  const unique = new Set(upsert === undefined ? resource.unique : [...resource.unique, upsert]);
  const seenValues = new Map([...unique].map((field): [string, SeenValues] => [field, createSeenValues()]));
  let plan: ColumnPlan | undefined;
  let number = 0;
  for await (const record of records) {
    if ('names' in record) {
      plan = planColumns(record.names, fields, readOnly, map);
      onPlan?.(plan);
      continue;
    }
    number += 1;
    const { line } = record;
    const read = record.cells ? parseCells(record.cells, plan, line) : parseJsonRow(record.text ?? '', line, map, readOnly);
    yield { number, line, hasIgnoredId: read.hasIgnoredId, ...checkRow(read, line, seenValues, options) };
  }
}

interface ParsedRow {
  readonly value: Readonly<Record<string, unknown>>;
  readonly toBody: () => string;
  readonly hasIgnoredId: boolean;
  readonly problems: readonly RowProblem[];
  /** Returns the column of a field. */
  readonly getColumn: (field: string) => string;
}

function parseCells(cells: readonly string[], plan: ColumnPlan | undefined, line: number): ParsedRow {
  const columns = plan?.columns ?? [];
  const value: Record<string, unknown> = {};
  const bodyFields: Record<string, unknown> = {};
  const getColumn = (field: string) => columns.find((column) => column.field === field)?.name ?? field;
  if (cells.length !== columns.length) {
    const message = `${String(cells.length)} values for ${String(columns.length)} columns`;
    return { value, toBody: () => '{}', getColumn, hasIgnoredId: false, problems: [{ line, column: '', message }] };
  }
  for (const [at, { field, schema }] of columns.entries()) {
    const cell = field === undefined ? undefined : parseCell(cells[at] ?? '', schema);
    if (field === undefined || !cell) continue;
    value[field] = cell.value;
    if (field !== ID) bodyFields[field] = cell.sent;
  }
  const hasIgnoredId = plan?.ignored.includes(ID) === true && (cells[columns.findIndex(({ name }) => name === ID)] ?? '').trim() !== '';
  return { value, toBody: () => JSON.stringify(bodyFields), hasIgnoredId, problems: [], getColumn };
}

function parseJsonRow(text: string, line: number, map: ColumnMap, readOnly: readonly string[]): ParsedRow {
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
        return field === undefined ? [] : [[field, each]];
      }),
    );
  const isUnchanged = !isRefused && Object.keys(row).every((name) => name !== ID && toField(name) === name);
  const getColumn = (field: string) => [...map].find(([, to]) => to === field)?.[0] ?? field;
  const toLosslessText = () => {
    const parsed = parseLosslessJson(text) as Record<string, unknown>;
    const { [ID]: _id, ...body } = mapFields((isRefused ? parsed['row'] : parsed) as Record<string, unknown>);
    return JSON.stringify(body);
  };
  const hasIgnoredId = !map.has(ID) && readOnly.includes(ID) && (row[ID] ?? '') !== '';
  return { value: mapFields(row), toBody: isUnchanged ? () => text : toLosslessText, hasIgnoredId, problems: [], getColumn };
}

const getJsonErrorPosition = (error: unknown): string | null => {
  const position = /position (\d+)/u.exec((error as Error).message)?.[1];
  return position === undefined ? null : `character ${String(Number(position) + 1)}`;
};

function checkRow(
  { value: allValues, toBody, problems: initialProblems, getColumn }: ParsedRow,
  line: number,
  seenValues: ReadonlyMap<string, SeenValues>,
  { check, upsert }: RowOptions,
): Pick<Row, 'body' | 'value' | 'key' | 'problems' | 'missing'> {
  const problems = [...initialProblems];
  const missing: string[] = [];
  const { [ID]: id, ...value } = allValues;
  const hasId = typeof id === 'string' && id.trim() !== '';
  if (problems.length === 0) {
    if (hasId ? !isId(id.trim()) : (id ?? '') !== '') problems.push({ line, column: getColumn(ID), message: 'id must be a UUID' });
    for (const { path, code, message } of check(value, hasId)) {
      const [field = '', ...inner] = path.slice(1).split('/');
      if (code === 'required' && inner.length === 0) missing.push(field);
      problems.push({ line, column: getColumn(field), message });
    }
    for (const [field, lines] of seenValues) {
      const given = allValues[field];
      if (typeof given !== 'string' || given.trim() === '') continue;
      const earlierLine = lines.add(given.trim().toLowerCase(), line);
      if (earlierLine !== null)
        problems.push({
          line,
          column: getColumn(field),
          message: `duplicate ${field} "${given.trim()}", also in line ${String(earlierLine)}`,
        });
    }
  }
  const key = upsert === undefined ? undefined : allValues[upsert];
  if (upsert !== undefined && upsert !== ID && problems.length === 0 && (typeof key !== 'string' || key.trim() === ''))
    problems.push({ line, column: getColumn(upsert), message: `${upsert} is required with --upsert ${upsert}` });
  return { body: toBody(), value, key: typeof key === 'string' && key.trim() !== '' ? key.trim() : undefined, problems, missing };
}

/** Lists the fields of a record that the service sets. `fields`: those that columns can have. */
function listReadOnlyFields({ record }: BulkResource, fields: ObjectSpec): readonly string[] {
  if (record.kind !== 'object') return [];
  return Object.entries(record.properties).flatMap(([name, schema]) => {
    if (fields.properties[name] !== undefined) return [];
    return schema.kind === 'object' ? [name, ...Object.keys(schema.properties).map((inner) => `${name}.${inner}`)] : [name];
  });
}
