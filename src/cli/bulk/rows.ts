/** Rows of a file as bodies of requests, each checked against the contract as the service will check it. */
import type { Operation } from '../../contract/operation.ts';
import type { AnySchema, ObjectSpec } from '../../contract/schema.ts';
import { parseExact } from '../exact-json.ts';
import { type ColumnMap, type Plan, cellOf, planColumns } from './columns.ts';
import { type Header, type Rec, malformed } from './records.ts';
import { type Seen, newSeen } from './seen.ts';

/** What can be imported. */
export interface Resource {
  /** `item` */
  readonly what: string;
  readonly create: Operation & { readonly body: ObjectSpec };
  readonly update: Operation;
  readonly list: Operation;
  /** The schema of one record. */
  readonly record: AnySchema;
  /** Fields that no two rows may share, whatever their case. */
  readonly unique: readonly string[];
}

export interface RowProblem {
  readonly line: number;
  readonly column: string;
  readonly message: string;
}

export interface Row {
  /** From 1, of the rows of the file. */
  readonly number: number;
  readonly line: number;
  /** The body as JSON text. */
  readonly body: string;
  /** The value of the field that `--upsert` goes by. */
  readonly key: string | undefined;
  readonly problems: readonly RowProblem[];
}

export interface RowOptions {
  readonly resource: Resource;
  readonly map: ColumnMap;
  /** The field of `--upsert`. */
  readonly upsert: string | undefined;
  /** Told once, when the header is read. */
  readonly onPlan?: (plan: Plan) => void;
  /** Says what is wrong with a body. */
  readonly check: (body: unknown) => readonly { readonly path: string; readonly message: string }[];
}

/** Every row, right or wrong; throws on what makes the rest of the file unreadable. */
export async function* rowsOf(records: AsyncIterable<Header | Rec>, options: RowOptions): AsyncGenerator<Row> {
  const { resource, map, onPlan } = options;
  const settled = settledFields(resource);
  const seen = new Map(resource.unique.map((field): [string, Seen] => [field, newSeen()]));
  let plan: Plan | undefined;
  let number = 0;
  for await (const record of records) {
    if ('names' in record) {
      plan = planColumns(record.names, resource.create.body, settled, map);
      onPlan?.(plan);
      continue;
    }
    number += 1;
    const { line } = record;
    const read = record.cells ? fromCells(record.cells, plan, line) : fromJson(record.text ?? '', line, map, settled);
    yield { number, line, ...finished(read, line, seen, options) };
  }
}

interface Read {
  readonly value: Readonly<Record<string, unknown>>;
  readonly sent: () => string;
  readonly problems: readonly RowProblem[];
  /** Field → column of the file, where they differ. */
  readonly columnOf: (field: string) => string;
}

function fromCells(cells: readonly string[], plan: Plan | undefined, line: number): Read {
  const columns = plan?.columns ?? [];
  const value: Record<string, unknown> = {};
  const sent: Record<string, unknown> = {};
  const columnOf = (field: string) => columns.find((column) => column.field === field)?.name ?? field;
  if (cells.length !== columns.length) {
    const message = `the row has ${String(cells.length)} values for ${String(columns.length)} columns`;
    return { value, sent: () => '{}', columnOf, problems: [{ line, column: '', message }] };
  }
  for (const [at, { field, schema }] of columns.entries()) {
    const cell = field === undefined ? undefined : cellOf(cells[at] ?? '', schema);
    if (field === undefined || !cell) continue;
    value[field] = cell.value;
    sent[field] = cell.sent;
  }
  return { value, sent: () => JSON.stringify(sent), problems: [], columnOf };
}

function fromJson(text: string, line: number, map: ColumnMap, settled: readonly string[]): Read {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw malformed(line, columnOfJsonError(error), `it is not JSON (${(error as Error).message})`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed(line, null, 'it is not a JSON object');
  // A refused row of an earlier import: mended, it is a row again.
  const given = value as Record<string, unknown>;
  const inner = given['row'];
  const isRefused = typeof inner === 'object' && inner !== null && 'line' in given && 'error' in given;
  const row = isRefused ? (inner as Record<string, unknown>) : given;
  const fieldOf = (name: string): string | undefined => {
    const field = map.get(name) ?? name;
    return field === '' || (!map.has(name) && settled.includes(name)) ? undefined : field;
  };
  const renamed = (from: Readonly<Record<string, unknown>>): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(from).flatMap(([name, each]) => {
        const field = fieldOf(name);
        return field === undefined ? [] : [[field, each]];
      }),
    );
  const isAsSent = !isRefused && Object.keys(row).every((name) => fieldOf(name) === name);
  const columnOf = (field: string) => [...map].find(([, to]) => to === field)?.[0] ?? field;
  const exact = () => {
    const parsed = parseExact(text) as Record<string, unknown>;
    return JSON.stringify(renamed((isRefused ? parsed['row'] : parsed) as Record<string, unknown>));
  };
  return { value: renamed(row), sent: isAsSent ? () => text : exact, problems: [], columnOf };
}

const columnOfJsonError = (error: unknown): string | null => {
  const position = /position (\d+)/u.exec((error as Error).message)?.[1];
  return position === undefined ? null : `character ${String(Number(position) + 1)}`;
};

function finished(
  { value, sent, problems: found, columnOf }: Read,
  line: number,
  seen: ReadonlyMap<string, Seen>,
  { check, upsert }: RowOptions,
): Pick<Row, 'body' | 'key' | 'problems'> {
  const problems = [...found];
  if (problems.length === 0) {
    for (const { path, message } of check(value)) {
      const field = path.slice(1).split('/')[0] ?? '';
      problems.push({ line, column: columnOf(field), message });
    }
    for (const [field, lines] of seen) {
      const given = value[field];
      if (typeof given !== 'string' || given.trim() === '') continue;
      const before = lines.add(given.trim().toLowerCase(), line);
      if (before !== null)
        problems.push({ line, column: columnOf(field), message: `${field} ${given.trim()} stands in line ${String(before)} already` });
    }
  }
  const key = upsert === undefined ? undefined : value[upsert];
  if (upsert !== undefined && problems.length === 0 && (typeof key !== 'string' || key.trim() === ''))
    problems.push({ line, column: columnOf(upsert), message: `${upsert} is needed to find the record with --upsert ${upsert}` });
  return { body: sent(), key: typeof key === 'string' ? key : undefined, problems };
}

/** Fields of the record that a create does not take: the service sets them. */
function settledFields({ record, create }: Resource): readonly string[] {
  if (record.kind !== 'object') return [];
  return Object.entries(record.properties).flatMap(([name, schema]) => {
    if (create.body.properties[name] !== undefined) return [];
    return schema.kind === 'object' ? [name, ...Object.keys(schema.properties).map((inner) => `${name}.${inner}`)] : [name];
  });
}
