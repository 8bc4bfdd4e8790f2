/** The columns a resource has, read from its schema, and what stands in a cell. */
import type { AnySchema } from '../contract/schema.ts';
import { usage } from './failure.ts';
import { nearest } from './nearest.ts';

/** The fields of an object schema: its own, and those of nested objects as `parent.child`. */
export function fieldsOf(schema: AnySchema): readonly string[] {
  if (schema.kind !== 'object') return [];
  return Object.entries(schema.properties).flatMap(([name, field]) => [name, ...fieldsOf(field).map((inner) => `${name}.${inner}`)]);
}

/** What stands for a whole record: its plain fields, of a nested object the name, or every field when it has none. */
export function leavesOf(schema: AnySchema, prefix = ''): readonly string[] {
  if (schema.kind !== 'object') return [];
  return Object.entries(schema.properties).flatMap(([name, field]) => {
    if (field.kind !== 'object') return [prefix + name];
    return 'name' in field.properties ? [`${prefix}${name}.name`] : leavesOf(field, `${prefix}${name}.`);
  });
}

/** The schema below `data` of a result: of the resource, or of one row of a list. */
export function resourceOf(result: AnySchema | null): AnySchema {
  const data = result?.kind === 'object' ? result.properties['data'] : undefined;
  const schema = data?.kind === 'array' ? data.items : data;
  return schema ?? result ?? { kind: 'json' };
}

/** The value at a dotted path, undefined when there is none. */
export function valueAt(row: unknown, path: string): unknown {
  let value = row;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/** `valueAt` for one path and many rows. */
export function reader(path: string): (row: unknown) => unknown {
  if (path.includes('.')) return (row) => valueAt(row, path);
  return (row) => (typeof row === 'object' && row !== null ? (row as Record<string, unknown>)[path] : undefined);
}

/** The columns asked for by `--columns`, each checked against the fields there are. */
export function chosenColumns(asked: string, fields: readonly string[]): readonly string[] {
  const columns = asked.split(',').map((name) => name.trim());
  for (const column of columns) {
    if (fields.includes(column)) continue;
    const near = nearest(column, fields);
    throw usage(
      column === ''
        ? '--columns has an empty name in it'
        : `there is no column "${column}"${near === null ? '' : `; did you mean "${near}"?`}`,
      `columns: ${fields.join(', ')}`,
    );
  }
  return columns;
}

/** A value as exact text: for pipes, nothing shortened, empty for null. */
export function plainText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((entry) => typeof entry !== 'object')) return value.map(String).join(',');
  return JSON.stringify(value);
}

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/u;
const two = (number: number): string => String(number).padStart(2, '0');

/** A value for a person's eyes: local time to the minute, yes and no, names in place of objects. */
export function displayText(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') return TIMESTAMP.test(value) ? localTime(new Date(value)) : value;
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.map(displayText).join(', ');
  if (typeof value === 'object') return objectText(value as Record<string, unknown>);
  return JSON.stringify(value);
}

function objectText(value: Record<string, unknown>): string {
  const label = value['name'] ?? value['orderNumber'] ?? value['symbol'];
  return typeof label === 'string' ? label : JSON.stringify(value);
}

function localTime(date: Date): string {
  const day = `${String(date.getFullYear())}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/iu;

/** Whether a value is shown as a time: half of one says something else. */
export const isTimestamp = (value: unknown): boolean => typeof value === 'string' && TIMESTAMP.test(value);

/** Whether a value has the form of an id. */
export const isId = (value: unknown): boolean => typeof value === 'string' && UUID.test(value);
