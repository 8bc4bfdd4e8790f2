/**
 * Says of most requests that they are valid, without joi, which takes longer to set out than to judge. It never refuses: what it does
 * not know to be valid just as it stands is left to joi, which converts, and finds the words for what is wrong.
 */
import { isDate, isTimestamp, isUuid } from '../contract/formats.ts';
import type { AnySchema, ArraySpec, NumberSpec, ObjectSpec, StringSpec } from '../contract/schema.ts';

type Test = (value: unknown) => boolean;

/** The value with its defaults, or undefined when joi has to look. */
export function plainness(spec: ObjectSpec): (value: unknown) => object | undefined {
  const fields = Object.entries(spec.properties);
  const defaults = fields.flatMap(([name, field]) => (field.default === undefined ? [] : [[name, field.default] as const]));
  const isPlain = object({
    ...spec,
    properties: Object.fromEntries(fields.map(([name, field]) => [name, { ...field, default: undefined }])),
  });
  return (value) => {
    if (!isPlain(value)) return undefined;
    const given = value as Record<string, unknown>;
    const missing = defaults.filter(([name]) => given[name] === undefined);
    if (missing.length === 0) return given;
    // One of these is made anew for everybody: joi does that.
    if (missing.some(([, fallback]) => typeof fallback === 'object' && fallback !== null)) return undefined;
    return Object.assign(Object.fromEntries(missing), given);
  };
}

function test(schema: AnySchema): Test {
  const own = testOf(schema);
  return schema.nullable ? (value) => value === null || own(value) : own;
}

function testOf(schema: AnySchema): Test {
  switch (schema.kind) {
    case 'string':
      return string(schema);
    case 'number':
      return number(schema);
    case 'boolean':
      return (value) => typeof value === 'boolean';
    case 'enum':
      return (value) => typeof value === 'string' && schema.values.includes(value);
    case 'array':
      return array(schema);
    case 'object':
      return object(schema);
    case 'map':
    case 'json':
      return () => false;
  }
}

function string({ min = 0, max = Infinity, pattern, format }: StringSpec): Test {
  const regexp = pattern === undefined ? undefined : new RegExp(pattern, 'u');
  return (value) => {
    if (typeof value !== 'string' || value === '') return false;
    // Code points count, and a code point is one or two of these.
    if (value.length > max || (min > 1 && value.length < 2 * min)) return false;
    if (format !== undefined && !FORMATS[format](value)) return false;
    return regexp === undefined || regexp.test(value);
  };
}

const FORMATS: Readonly<Record<NonNullable<StringSpec['format']>, (text: string) => boolean>> = {
  // In lower case already, so that it needs no conversion.
  uuid: (text) => isUuid(text) && text === text.toLowerCase(),
  date: isDate,
  'date-time': isTimestamp,
};

function number({ integer, min = -Infinity, max = Infinity, above = -Infinity, below = Infinity }: NumberSpec): Test {
  return (value) =>
    typeof value === 'number' &&
    value > above &&
    value < below &&
    value >= min &&
    value <= max &&
    (integer === undefined || Number.isInteger(value)) &&
    !Object.is(value, -0);
}

function array({ items, min = 0, max = Infinity, unique, csv }: ArraySpec): Test {
  if (unique || csv) return () => false;
  const isPlain = test(items);
  return (value) => Array.isArray(value) && value.length >= min && value.length <= max && value.every(isPlain);
}

/** A field with a default must be there: what an object further down lacks is for joi to fill in. */
function object({ properties }: ObjectSpec): Test {
  const tests = new Map(Object.entries(properties).map(([name, field]) => [name, test(field)]));
  const required = Object.entries(properties).flatMap(([name, field]) => (field.optional && field.default === undefined ? [] : [name]));
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    for (const name of required) if (!Object.hasOwn(value, name)) return false;
    for (const name of Object.keys(value)) {
      const isPlain = tests.get(name);
      if (isPlain === undefined || !isPlain((value as Record<string, unknown>)[name])) return false;
    }
    return true;
  };
}
