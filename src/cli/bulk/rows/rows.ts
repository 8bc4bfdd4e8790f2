/** Converts the records of a file to request bodies, and validates them like the service. */
import type { FieldProblem } from '../../../contract/errors.ts';
import type { ObjectSpec } from '../../../contract/schema/builder.ts';
import { parseLosslessJson } from '../../lossless-json.ts';
import { getValueAt, isId } from '../../output/fields.ts';
import { truncate } from '../../output/text-width.ts';
import {
  type BulkResource,
  ID,
  type LineRows,
  type RowProblem,
  getLineSchema,
  getUpsertFlag,
  listMappedFields,
  normalizeKey,
} from '../bulk-resource.ts';
import {
  type ColumnMap,
  type ColumnPlan,
  type Decimal,
  LINE_PREFIX,
  listNameColumns,
  listReadings,
  planColumns,
} from './column-mapping.ts';
import { groupLines } from './line-groups.ts';
import type { Header, FileRecord } from './records.ts';
import type { References } from './references.ts';
import {
  type CellRow,
  type JsonOptions,
  type NamingObject,
  type ParsedRow,
  type Values,
  parseCells,
  parseJsonRow,
  resolveCells,
  resolveJsonRow,
} from './row-values.ts';
import { type SeenValues, createSeenValues } from './seen-values.ts';

/** A row with its body, which has neither the id of `--upsert id` nor the parent; `value` has the values of the body. */
export interface Row extends ParsedRow {
  /** Number of the row, from 1. */
  readonly number: number;
  readonly line: number;
  /** JSON text. */
  readonly body: string;
  /** The value of the field of `--upsert`. */
  readonly key: string | undefined;
  /** The id of the parent. */
  readonly parent: string | undefined;
  /** Required fields of a new record that the row does not have. */
  readonly missing: readonly string[];
}

export interface RowOptions {
  readonly resource: BulkResource;
  readonly map: ColumnMap;
  /** The field of `--upsert`. */
  readonly upsert: string | undefined;
  /** Where names are looked up. */
  readonly references?: References | undefined;
  /** `--decimal`; by default files with semicolons may have decimal commas. */
  readonly decimal?: ',' | '.' | undefined;
  /** Called when the header was read. */
  readonly onPlan?: (plan: ColumnPlan) => void;
  /** Validates a body. `isUpdate`: of a record that exists, where omitted fields are unchanged. */
  readonly check: (body: unknown, isUpdate: boolean) => readonly Pick<FieldProblem, 'path' | 'code' | 'message'>[];
}

/** Yields all rows, valid or not. Throws if the rest of the file cannot be parsed. */
export async function* parseRows(records: AsyncIterable<Header | FileRecord>, options: RowOptions): AsyncGenerator<Row> {
  const { resource, upsert } = options;
  const unique = new Set(upsert === undefined || resource.parent ? resource.unique : [...resource.unique, upsert]);
  const seenValues = new Map([...unique].map((field): [string, SeenValues] => [field, createSeenValues()]));
  let number = 0;
  for await (const read of readValues(records, options)) {
    number += 1;
    const { line } = read.locate([]);
    yield { ...read, number, line, ...checkRow(read, line, seenValues, options) };
  }
}

async function* readValues(records: AsyncIterable<Header | FileRecord>, options: RowOptions): AsyncGenerator<ParsedRow> {
  const { resource, map, upsert, references, onPlan } = options;
  const fields = listMappedFields(resource, upsert);
  const readOnly = listReadOnlyFields(resource, fields);
  const toNaming = (schema: ObjectSpec): NamingObject => ({ schema, names: listNameColumns(schema) });
  const lineSchema = getLineSchema(resource);
  const json: JsonOptions = {
    map,
    readOnly: resource.lines ? readOnly.filter((name) => name !== 'lines') : readOnly,
    record: toNaming({ kind: 'object', properties: { ...fields.properties, ...resource.create.body.properties } }),
    line: lineSchema && toNaming(lineSchema),
    preset: resource.preset ?? {},
  };
  const lines: CellRow[] = [];
  let plan: ColumnPlan | undefined;
  let decimal: Decimal = '.';
  for await (const record of records) {
    if ('names' in record) {
      plan = planColumns(record.names, fields, readOnly, map);
      decimal = options.decimal ?? (record.delimiter === ';' ? 'either' : '.');
      onPlan?.(plan);
      continue;
    }
    const { cells, line, text = '' } = record;
    if (!cells) {
      const row = parseJsonRow(text, line, json);
      yield references ? await resolveJsonRow(row, json, references) : row;
      continue;
    }
    // Spreadsheets write empty rows at the end.
    if (cells.every((cell) => cell.trim() === '')) continue;
    const row = parseCells(cells, plan, line, decimal);
    const resolved = references && plan && row.problems.length === 0 ? await resolveCells(row, cells, plan, references) : row;
    if (!resource.lines) yield resolved;
    else if (!isSkipped(resolved, resource.lines)) lines.push(resolved);
  }
  if (resource.lines) yield* groupLines(lines, resource.lines, resource.preset ?? {});
}

const isSkipped = ({ value, problems }: CellRow, { skippedWithout }: LineRows): boolean =>
  skippedWithout !== undefined && problems.length === 0 && (value[LINE_PREFIX + skippedWithout] ?? null) === null;

/** Checks a row, and separates its key and its parent from the body. */
function checkRow(
  read: ParsedRow,
  line: number,
  seenValues: ReadonlyMap<string, SeenValues>,
  options: RowOptions,
): Pick<Row, 'body' | 'value' | 'key' | 'parent' | 'problems' | 'missing'> {
  const { resource, upsert } = options;
  const { value: allValues, locate, toBody } = read;
  const problems = [...read.problems];
  const missing: string[] = [];
  const { [ID]: id, ...own } = allValues;
  const { value, parent } = takeParent(own, resource);
  const hasId = typeof id === 'string' && id.trim() !== '';
  const key = upsert === undefined ? undefined : allValues[upsert];
  const hasKey = typeof key === 'string' && key.trim() !== '';
  // A row whose cells have no columns has no other problems.
  const isUnread = (at: number): boolean => read.problems.some((problem) => problem.field === undefined && problem.line === at);
  const report = (path: readonly string[], message: string) => {
    const at = locate(path);
    if (!isUnread(at.line)) problems.push({ ...at, message });
  };
  if (hasId ? !isId(id.trim()) : (id ?? '') !== '') report([ID], 'id must be a UUID');
  if (resource.parent && parent === undefined) {
    missing.push(resource.parent.field);
    report([resource.parent.field], `${resource.parent.field} is required`);
  }
  for (const { path, code, message } of options.check(value, hasId)) {
    const names = path.slice(1).split('/');
    if (code === 'required' && names.length === 1 && !isUnread(line)) {
      missing.push(names[0] ?? '');
      // The record exists, or the row is rejected when it is not found.
      if (hasKey) continue;
    }
    const problem = toRowProblem(locate, names, message);
    report(names, explainProblem(problem.message, code, getValueAt(value, names.join('.'))));
  }
  for (const [field, lines] of seenValues) {
    const given = allValues[field];
    if (typeof given !== 'string' || given.trim() === '') continue;
    const earlierLine = lines.add(normalizeKey(field, given), line);
    if (earlierLine !== null) report([field], `duplicate ${field} "${given.trim()}", also in line ${String(earlierLine)}`);
  }
  if (upsert === undefined || (upsert === ID && !hasId))
    for (const [field, { column, text }] of Object.entries(read.renamed))
      problems.push({ line, column, message: `${column} "${text}" is another record than that of ${field}; leave one of them empty` });
  if (upsert !== undefined && upsert !== ID && problems.length === 0 && !hasKey)
    report([upsert], `${upsert} is required with --upsert ${getUpsertFlag(resource, upsert)}`);
  const body = parent === undefined ? toBody() : JSON.stringify(takeParent(parseLosslessJson(toBody()) as Values, resource).value);
  return { body, value, parent, key: hasKey ? key.trim() : undefined, problems, missing };
}

function takeParent(values: Values, { parent }: BulkResource): { value: Values; parent: string | undefined } {
  if (!parent) return { value: values, parent: undefined };
  const { [parent.field]: id, ...value } = values;
  return { value, parent: typeof id === 'string' && isId(id) ? id : undefined };
}

/** The problem of a field: `quantity` instead of `lines.0.quantity`, next to the line of the file. */
export function toRowProblem(locate: ParsedRow['locate'], names: readonly string[], message: string): RowProblem {
  const at = locate(names);
  return { ...at, message: names[0] === 'lines' ? message.replace(names.join('.'), at.column) : message };
}

/** How much of a wrong cell a message shows. */
const SHOWN_CHARS = 30;

/** The message with a cell that could not be converted, and what can be done about numbers. */
function explainProblem(message: string, code: string, value: unknown): string {
  if (code !== 'wrong_type' || typeof value !== 'string') return message;
  const text = value.trim();
  const readings = listReadings(text);
  if (readings) return `${message}; ${readings.join(' or ')}? Pass --decimal . or --decimal ,`;
  const hint = /^-?[\d.]*,\d+$/u.test(text) ? '; for a decimal comma pass --decimal ,' : '';
  return `${message}, not "${truncate(text, SHOWN_CHARS)}"${hint}`;
}

/** Lists the fields of a record that the service sets. `fields`: those that columns can have. */
function listReadOnlyFields({ record }: BulkResource, fields: ObjectSpec): readonly string[] {
  if (record.kind !== 'object') return [];
  return Object.entries(record.properties).flatMap(([name, schema]) => {
    if (fields.properties[name] !== undefined) return [];
    return schema.kind === 'object' ? [name, ...Object.keys(schema.properties).map((inner) => `${name}.${inner}`)] : [name];
  });
}
