/** Compiles contract schemas to joi. The only file of the contract that loads joi: servers validate, the terminal does not. */
import { createRequire } from 'node:module';
import type Joi from 'joi';
import { isDate, isTimestamp, isUuid } from './formats.ts';
import type { AnySchema, ArraySpec, NumberSpec, ObjectSpec, StringSpec } from './schema.ts';

const require = createRequire(import.meta.url);
let loaded: Joi.Root | undefined;

/** Loads joi, which takes about as long as opening a small store: a service that is starting leaves it until it is ready. */
export function loadJoi(): Joi.Root {
  return (loaded ??= (require('joi') as Joi.Root).extend(lists) as Joi.Root);
}

/** A list that is too long is told as that alone, before each of its entries is looked at: a body has room for some hundred thousand. */
const lists: Joi.ExtensionFactory = (joi) => ({
  type: 'array',
  base: joi.array(),
  validate(value: unknown, { schema, error }: Joi.CustomHelpers) {
    const limit = schema.$_getRule('max')?.args?.['limit'] as number | undefined;
    if (limit === undefined || !Array.isArray(value) || value.length <= limit) return undefined;
    return { value, errors: error('array.max', { limit }) };
  },
});

/** One finding of joi. */
export type ValidationDetail = Joi.ValidationErrorItem;

const FORMATS = {
  uuid: { test: isUuid, code: 'string.guid', hint: 'a UUID such as 7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e' },
  date: { test: isDate, code: 'string.isoDate', hint: 'a date such as 2026-03-31' },
  'date-time': { test: isTimestamp, code: 'string.isoDate', hint: 'a timestamp such as 2026-03-31T14:00:00Z' },
} as const;

const compiled = new WeakMap<AnySchema, Joi.Schema>();

/** The joi schema of a contract schema; every call with the same schema returns the same object. */
export function toJoi(schema: AnySchema): Joi.Schema {
  let joi = compiled.get(schema);
  if (!joi) {
    joi = finish(base(schema), schema);
    compiled.set(schema, joi);
  }
  return joi;
}

function base(schema: AnySchema): Joi.Schema {
  switch (schema.kind) {
    case 'string':
      return string(schema);
    case 'number':
      return number(schema);
    case 'boolean':
      return loadJoi().boolean();
    case 'enum':
      return loadJoi()
        .string()
        .valid(...schema.values);
    case 'array':
      return schema.csv ? csv(schema) : array(schema);
    case 'object':
      return object(schema);
    case 'map':
      return loadJoi().object().pattern(loadJoi().string(), toJoi(schema.values));
    case 'json':
      return loadJoi().any();
  }
}

function string(schema: StringSpec): Joi.Schema {
  const { min = 0, max, pattern, format } = schema;
  let joi = loadJoi().string();
  const regexp = pattern === undefined ? undefined : new RegExp(pattern, 'u');
  // What joi allows by value skips every other rule, so the empty text must keep them by itself.
  if (min === 0 && format === undefined && (regexp?.test('') ?? true)) joi = joi.allow('');
  const rule = format ? FORMATS[format] : undefined;
  const hint = schema.hint ?? rule?.hint;
  return joi.custom((value: string, helpers) => {
    // JSON Schema counts code points; the cheap length decides in nearly every case.
    if (max !== undefined && value.length > max && codePoints(value) > max) return helpers.error('string.max', { limit: max });
    if (min > 1 && codePoints(value) < min) return helpers.error('string.min', { limit: min });
    if (rule && !rule.test(value)) return helpers.error(rule.code, { hint });
    if (regexp && !regexp.test(value)) return helpers.error('string.pattern.base', { hint });
    // RFC 9562: the letters of a UUID may be written in either case; ours are stored in lower case.
    return format === 'uuid' ? value.toLowerCase() : value;
  });
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function number(schema: NumberSpec): Joi.Schema {
  // Bounds are the contract's; joi's own "unsafe" rule would refuse exact decimals with 16 digits.
  let joi = loadJoi().number().unsafe();
  if (schema.integer) joi = joi.integer();
  if (schema.min !== undefined) joi = joi.min(schema.min);
  if (schema.max !== undefined) joi = joi.max(schema.max);
  if (schema.above !== undefined) joi = joi.greater(schema.above);
  if (schema.below !== undefined) joi = joi.less(schema.below);
  return joi;
}

function array(schema: ArraySpec): Joi.Schema {
  // To joi, a required item means "at least one"; how many there must be is for `min`.
  let joi = loadJoi().array().items(toJoi(schema.items).optional());
  if (schema.min !== undefined) joi = joi.min(schema.min);
  if (schema.max !== undefined) joi = joi.max(schema.max);
  if (schema.unique) joi = joi.unique();
  return joi;
}

function csv(schema: ArraySpec): Joi.Schema {
  const list = array(schema);
  return loadJoi()
    .string()
    .custom((value: string, helpers) => {
      const result = list.validate(value.split(','), { convert: true });
      if (!result.error) return result.value as unknown;
      const [first] = result.error.details;
      return first ? helpers.error(first.type, { ...first.context, value }) : helpers.error('any.invalid');
    });
}

function object(schema: ObjectSpec): Joi.Schema {
  const keys = Object.entries(schema.properties).map(([key, field]) => [key, toJoi(field)] as const);
  return loadJoi().object(Object.fromEntries(keys));
}

function finish(joi: Joi.Schema, schema: AnySchema): Joi.Schema {
  let result = joi;
  if (schema.nullable) result = result.allow(null);
  if (schema.default !== undefined) return result.default(schema.default);
  return schema.optional ? result : result.required();
}
