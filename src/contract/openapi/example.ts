/** Example values made from schemas: believable records where there is a sample, something valid everywhere else. */
import type { AnySchema, ObjectSpec } from '../schema.ts';

/** Values that an example should have, by field; what is left out is made up. */
export type Given = Readonly<Record<string, unknown>>;

export const INSTANT = '2026-03-31T14:00:00.000Z';
const DAY = '2026-03-31';

/** An example of what we send. `samples` gives fields of named schemas; `given` has the last word. */
export function exampleOf(schema: AnySchema, samples: Readonly<Record<string, Given>>, given?: unknown, field = 'id'): unknown {
  if (schema.kind === 'object') {
    if (given === null) return null;
    const sample = schema.name === undefined ? undefined : samples[schema.name];
    if (given === undefined && sample === undefined && schema.nullable) return null;
    return objectExample(schema, samples, { ...sample, ...(given as Given | undefined) }, field);
  }
  if (schema.kind === 'array' && Array.isArray(given)) return given.map((entry: unknown) => exampleOf(schema.items, samples, entry, field));
  if (given !== undefined) return given;
  if (schema.example !== undefined) return schema.example;
  if (schema.default !== undefined) return schema.default;
  return schema.nullable ? null : made(schema, samples, field);
}

function objectExample(schema: ObjectSpec, samples: Readonly<Record<string, Given>>, given: Given, name: string): unknown {
  const entries = Object.entries(schema.properties).flatMap(([key, field]) => {
    if (given[key] === undefined && field.optional && field.default === undefined) return [];
    // So that `contactId` and `contact.id` are the same.
    return [[key, exampleOf(field, samples, given[key], key === 'id' ? idName(name) : key)] as const];
  });
  return Object.fromEntries(entries);
}

const idName = (name: string): string => (name === 'id' ? name : `${name}Id`);

function made(schema: Exclude<AnySchema, ObjectSpec>, samples: Readonly<Record<string, Given>>, field: string): unknown {
  switch (schema.kind) {
    case 'string':
      if (schema.format === 'uuid') return idFor(field);
      return schema.format === 'date'
        ? DAY
        : schema.format === 'date-time'
          ? INSTANT
          : schema.min === undefined
            ? ''
            : 'x'.repeat(schema.min);
    case 'number':
      return Math.max(schema.min ?? 0, 0);
    case 'boolean':
      return false;
    case 'enum':
      return schema.values[0];
    case 'array':
      return [exampleOf(schema.items, samples, undefined, field)];
    case 'map':
      return {};
    case 'json':
      return null;
  }
}

/** Always the same UUID for the same field name. */
export function idFor(field: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const char of field) hash = BigInt.asUintN(64, (hash ^ BigInt(char.codePointAt(0) ?? 0)) * 0x100000001b3n);
  const hex = hash.toString(16).padStart(16, '0');
  return `0197a3c0-5b1e-7${hex.slice(0, 3)}-9${hex.slice(3, 6)}-${hex.slice(4, 16)}`;
}
