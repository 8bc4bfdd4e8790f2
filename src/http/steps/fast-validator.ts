/**
 * Accepts most valid requests without joi, whose setup takes longer than the validation itself. It never rejects: a value that is not known
 * to be valid without conversion is left to joi, which converts values and reports problems.
 */
import { isDate, isTimestamp, isUuid } from '../../contract/schema/formats.ts';
import type { AnySchema, ArraySpec, NumberSpec, ObjectSpec, StringSpec } from '../../contract/schema/builder.ts';

type Predicate = (value: unknown) => boolean;

type FastValidator = (value: unknown) => object | undefined;

/** By schema, created with the first request: many are never needed. */
const validators = new WeakMap<ObjectSpec, FastValidator>();

/** The value with its defaults, or undefined if joi has to validate it. */
export function validateFast(spec: ObjectSpec, value: unknown): object | undefined {
  let validator = validators.get(spec);
  if (validator === undefined) validators.set(spec, (validator = createFastValidator(spec)));
  return validator(value);
}

/** Returns a function that returns the value with its defaults, or undefined if joi has to validate it. */
export function createFastValidator(spec: ObjectSpec): FastValidator {
  const fields = Object.entries(spec.properties);
  const defaults = fields.flatMap(([name, field]) => (field.default === undefined ? [] : [[name, field.default] as const]));
  const isValid = compileObject({
    ...spec,
    properties: Object.fromEntries(fields.map(([name, field]) => [name, { ...field, default: undefined }])),
  });
  return (value) => {
    if (!isValid(value)) return undefined;
    const given = value as Record<string, unknown>;
    const missing = defaults.filter(([name]) => given[name] === undefined);
    if (missing.length === 0) return given;
    // Each request needs its own copy of such a default, which joi creates.
    if (missing.some(([, fallback]) => typeof fallback === 'object' && fallback !== null)) return undefined;
    return Object.assign(Object.fromEntries(missing), given);
  };
}

function compile(schema: AnySchema): Predicate {
  const isValid = compileNonNull(schema);
  return schema.nullable ? (value) => value === null || isValid(value) : isValid;
}

function compileNonNull(schema: AnySchema): Predicate {
  switch (schema.kind) {
    case 'string':
      return compileString(schema);
    case 'number':
      return compileNumber(schema);
    case 'boolean':
      return (value) => typeof value === 'boolean';
    case 'enum':
      return (value) => typeof value === 'string' && schema.values.includes(value);
    case 'array':
      return compileArray(schema);
    case 'object':
      return compileObject(schema);
    case 'map':
    case 'json':
      return () => false;
  }
}

function compileString({ min = 0, max = Infinity, pattern, format }: StringSpec): Predicate {
  const regexp = pattern === undefined ? undefined : new RegExp(pattern, 'u');
  return (value) => {
    if (typeof value !== 'string' || value === '') return false;
    // Limits count code points, which are one or two UTF-16 code units each.
    if (value.length > max || (min > 1 && value.length < 2 * min)) return false;
    if (format !== undefined && !FORMATS[format](value)) return false;
    return regexp === undefined || regexp.test(value);
  };
}

const FORMATS: Readonly<Record<NonNullable<StringSpec['format']>, (text: string) => boolean>> = {
  // joi converts UUIDs to lower case.
  uuid: (text) => isUuid(text) && text === text.toLowerCase(),
  date: isDate,
  'date-time': isTimestamp,
};

function compileNumber({ integer, min = -Infinity, max = Infinity, above = -Infinity, below = Infinity }: NumberSpec): Predicate {
  return (value) =>
    typeof value === 'number' &&
    value > above &&
    value < below &&
    value >= min &&
    value <= max &&
    (integer === undefined || Number.isInteger(value)) &&
    !Object.is(value, -0);
}

function compileArray({ items, min = 0, max = Infinity, unique, csv }: ArraySpec): Predicate {
  if (unique || csv) return () => false;
  const isValid = compile(items);
  return (value) => Array.isArray(value) && value.length >= min && value.length <= max && value.every(isValid);
}

/** Fields with a default count as required, because only joi fills in the defaults of nested objects. */
function compileObject({ properties }: ObjectSpec): Predicate {
  const predicates = new Map(Object.entries(properties).map(([name, field]) => [name, compile(field)]));
  const required = Object.entries(properties).flatMap(([name, field]) => (field.optional && field.default === undefined ? [] : [name]));
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    for (const name of required) if (!Object.hasOwn(value, name)) return false;
    for (const name of Object.keys(value)) {
      const isValid = predicates.get(name);
      if (isValid === undefined || !isValid((value as Record<string, unknown>)[name])) return false;
    }
    return true;
  };
}
