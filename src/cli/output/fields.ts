/** Columns of a resource, derived from its schema, and the texts of their values. */
import type { AnySchema } from '../../contract/schema/builder.ts';
import { formatAlternatives } from '../../contract/schema/record-kinds.ts';
import { type Failure, usageError } from '../errors/failure.ts';
import { findClosestMatch } from '../../contract/schema/closest-match.ts';

/** The fields of an object schema: its own, and those of nested objects as `parent.child`. */
export function listFields(schema: AnySchema): readonly string[] {
  if (schema.kind !== 'object') return [];
  return Object.entries(schema.properties).flatMap(([name, field]) => [name, ...listFields(field).map((inner) => `${name}.${inner}`)]);
}

/** Lists the default columns of a record: its fields without nested objects, which are represented by their name or, without a name, by all their fields. */
export function listLeafFields(schema: AnySchema, prefix = ''): readonly string[] {
  if (schema.kind !== 'object') return [];
  return Object.entries(schema.properties).flatMap(([name, field]) => {
    if (field.kind !== 'object') return [prefix + name];
    return 'name' in field.properties ? [`${prefix}${name}.name`] : listLeafFields(field, `${prefix}${name}.`);
  });
}

/** Returns the schema of `data` in a result: of the resource, or of one row of a list. */
export function getResourceSchema(result: AnySchema | null): AnySchema {
  const data = result?.kind === 'object' ? result.properties['data'] : undefined;
  const schema = data?.kind === 'array' ? data.items : data;
  return schema ?? result ?? { kind: 'json' };
}

/** Returns the value at a dotted path, undefined if there is none. */
export function getValueAt(row: unknown, path: string): unknown {
  let value = row;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/** Creates a faster `getValueAt` for one path and many rows. */
export function createReader(path: string): (row: unknown) => unknown {
  if (path.includes('.')) return (row) => getValueAt(row, path);
  return (row) => (typeof row === 'object' && row !== null ? (row as Record<string, unknown>)[path] : undefined);
}

/** Parses `--columns`; the last part of a path is enough if it is unique. Throws a usage error for a name that is not among the fields. */
export function parseColumns(columnList: string, fields: readonly string[]): readonly string[] {
  return columnList.split(',').map((text) => {
    const name = text.trim();
    if (fields.includes(name)) return name;
    const [match, ...others] = fields.filter((field) => name !== '' && field.endsWith(`.${name}`));
    if (match !== undefined && others.length === 0) return match;
    throw createColumnError(name, match === undefined ? findSimilar(name, fields) : [match, ...others], fields);
  });
}

/** The column with the closest name, else those that contain it, as a header may. */
function findSimilar(name: string, fields: readonly string[]): readonly string[] {
  const closest = findClosestMatch(name, fields);
  if (closest !== null) return [closest];
  return name === '' ? [] : fields.filter((field) => field.toLowerCase().includes(name.toLowerCase())).slice(0, SUGGESTIONS_MAX);
}

const SUGGESTIONS_MAX = 3;

function createColumnError(name: string, near: readonly string[], fields: readonly string[]): Failure {
  const suggestion = near.length === 0 ? '' : `. Did you mean ${formatAlternatives(near.map((field) => `"${field}"`))}?`;
  const message = name === '' ? 'Empty column name in --columns' : `Unknown column "${name}"${suggestion}`;
  return usageError(message, `Columns: ${fields.join(', ')}`);
}

/** Converts a value to text for programs: nothing is shortened, null is empty. */
export function toPlainText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((entry) => typeof entry !== 'object')) return value.map(String).join(',');
  return JSON.stringify(value);
}

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/u;
const padTwo = (number: number): string => String(number).padStart(2, '0');

/** Converts a value to text for people: local time to the minute, yes and no, names instead of objects. */
export function toDisplayText(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') return TIMESTAMP.test(value) ? formatLocalSecond(new Date(value)).slice(0, -':00'.length) : value;
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.map(toDisplayText).join(', ');
  if (typeof value === 'object') return toObjectLabel(value as Record<string, unknown>);
  return JSON.stringify(value);
}

function toObjectLabel(value: Record<string, unknown>): string {
  const label = value['name'] ?? value['orderNumber'] ?? value['symbol'];
  return typeof label === 'string' ? label : JSON.stringify(value);
}

/** `2026-11-25 14:07:31`, in the time zone of the user. */
export const formatLocalSecond = (date: Date): string =>
  `${String(date.getFullYear())}-${padTwo(date.getMonth() + 1)}-${padTwo(date.getDate())} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(padTwo).join(':')}`;

const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/iu;

/** Whether a value is a timestamp. */
export const isTimestamp = (value: unknown): boolean => typeof value === 'string' && TIMESTAMP.test(value);

/** Whether a value is a UUID, the form of most ids. */
export const isId = (value: unknown): boolean => typeof value === 'string' && UUID.test(value);
