/** Example values generated from schemas: realistic where a sample exists, otherwise merely valid. */
import type { AnySchema, ObjectSpec } from '../schema/builder.ts';

/** Field values of an example; missing fields are generated. */
export type ExampleValues = Readonly<Record<string, unknown>>;

export const EXAMPLE_TIMESTAMP = '2026-03-31T14:00:00.000Z';
const EXAMPLE_DATE = '2026-03-31';

/** Builds an example of a value that the service sends. `samples` has values of named schemas; `given` takes precedence. */
export function buildExample(schema: AnySchema, samples: Readonly<Record<string, ExampleValues>>, given?: unknown, field = 'id'): unknown {
  if (schema.kind === 'object') {
    if (given === null) return null;
    const sample = schema.name === undefined ? undefined : samples[schema.name];
    if (given === undefined && sample === undefined && schema.nullable) return null;
    return buildObjectExample(schema, samples, { ...sample, ...(given as ExampleValues | undefined) }, field);
  }
  if (schema.kind === 'array' && Array.isArray(given))
    return given.map((entry: unknown) => buildExample(schema.items, samples, entry, field));
  // Linters reject null as the example of an enum, which cannot list it.
  if (schema.kind === 'enum' && schema.nullable) return given ?? schema.values[0];
  if (given !== undefined) return given;
  if (schema.example !== undefined) return schema.example;
  if (schema.default !== undefined) return schema.default;
  return schema.nullable ? null : generateValue(schema, samples, field);
}

function buildObjectExample(
  schema: ObjectSpec,
  samples: Readonly<Record<string, ExampleValues>>,
  given: ExampleValues,
  name: string,
): unknown {
  const entries = Object.entries(schema.properties).flatMap(([key, field]) => {
    if (given[key] === undefined && field.optional && field.default === undefined) return [];
    // `contactId` and `contact.id` get the same value.
    return [[key, buildExample(field, samples, given[key], key === 'id' ? toIdField(name) : key)] as const];
  });
  return Object.fromEntries(entries);
}

const toIdField = (name: string): string => (name === 'id' ? name : `${name}Id`);

function generateValue(schema: Exclude<AnySchema, ObjectSpec>, samples: Readonly<Record<string, ExampleValues>>, field: string): unknown {
  switch (schema.kind) {
    case 'string':
      if (schema.format === 'uuid') return generateId(field);
      return schema.format === 'date'
        ? EXAMPLE_DATE
        : schema.format === 'date-time'
          ? EXAMPLE_TIMESTAMP
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
      return [buildExample(schema.items, samples, undefined, field)];
    case 'map':
      return {};
    case 'json':
      return null;
  }
}

/** A UUID that is always the same for the same field name. */
export function generateId(field: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const char of field) hash = BigInt.asUintN(64, (hash ^ BigInt(char.codePointAt(0) ?? 0)) * 0x100000001b3n);
  const hex = hash.toString(16).padStart(16, '0');
  return `0197a3c0-5b1e-7${hex.slice(0, 3)}-9${hex.slice(3, 6)}-${hex.slice(4, 16)}`;
}
