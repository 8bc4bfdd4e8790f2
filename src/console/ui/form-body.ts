/** The fields of a form, and the body of a request from their values. */
import type { AnySchema, ObjectSpec } from '../../contract/schema/builder.ts';
import { MULTIPLE_LINES } from '../../contract/schema/text.ts';

export type Values = Readonly<Record<string, unknown>>;

export const isMultiline = (schema: AnySchema): boolean => schema.kind === 'string' && schema.pattern === MULTIPLE_LINES;

/** Those that take the whole width of a form come last. */
const isWide = (schema: AnySchema): boolean => schema.kind === 'array' || isMultiline(schema);

/** The fields that have a control. */
export const listFields = ({ properties }: ObjectSpec): readonly (readonly [name: string, schema: AnySchema])[] =>
  Object.entries(properties)
    .filter(([, { kind }]) => kind !== 'map' && kind !== 'json')
    .toSorted(([, a], [, b]) => Number(isWide(a)) - Number(isWide(b)));

/** A text that is no number stays one, so that the service names its field. */
function toValue(schema: AnySchema, value: unknown): unknown {
  if (value === '' || value === undefined) return undefined;
  if (schema.kind === 'number' && typeof value === 'string') {
    const number = Number(value.trim().replace(/^(-?\d*),(\d+)$/u, '$1.$2'));
    return Number.isFinite(number) ? number : value;
  }
  if (schema.kind === 'array' && schema.items.kind === 'object' && Array.isArray(value)) {
    const { items } = schema;
    return (value as readonly Values[]).map((line) => toBody(items, line));
  }
  return value;
}

/** The fields that have a value. */
export function toBody(spec: ObjectSpec, values: Values): Values {
  const entries = Object.entries(spec.properties).map(([name, schema]) => [name, toValue(schema, values[name])] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** The fields that differ from those of the record; a field that was emptied becomes null. */
export function toChanges(spec: ObjectSpec, values: Values, record: Values): Values {
  const entries = Object.entries(spec.properties).flatMap(([name, schema]) => {
    const value = toValue(schema, values[name]) ?? null;
    const before = record[name] ?? null;
    if (!Object.hasOwn(values, name) || JSON.stringify(value) === JSON.stringify(before) || (value === null && before === '')) return [];
    return [[name, value === null && !schema.nullable ? '' : value] as const];
  });
  return Object.fromEntries(entries);
}

export const getDefaults = (spec: ObjectSpec): Values =>
  Object.fromEntries(Object.entries(spec.properties).flatMap(([name, { default: value }]) => (value === undefined ? [] : [[name, value]])));
