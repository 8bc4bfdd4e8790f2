/** Compiles contract schemas to joi. The only contract file that loads joi: the service validates, the command line does not. */
import { createRequire } from 'node:module';
import type Joi from 'joi';
import { PROBLEMS_MAX } from '../limits.ts';
import { hasLostPlus, isDate, isTimestamp, isUuid } from './formats.ts';
import { ONE_LINE, describeForbiddenCharacter } from './text.ts';
import type { AnySchema, ArraySpec, MapSpec, NumberSpec, ObjectSpec, StringSpec } from './builder.ts';

const require = createRequire(import.meta.url);
let joiRoot: Joi.Root | undefined;

/** Loads joi on first use. This takes about as long as opening a small store, so a starting service loads it only when it is ready. */
export function loadJoi(): Joi.Root {
  return (joiRoot ??= (require('joi') as Joi.Root).extend(boundedArrays) as Joi.Root);
}

/** Rejects arrays that are too long before validating their entries: a body has room for some hundred thousand. */
const boundedArrays: Joi.ExtensionFactory = (joi) => ({
  type: 'array',
  base: joi.array(),
  validate(value: unknown, { schema, error }: Joi.CustomHelpers) {
    const limit = schema.$_getRule('max')?.args?.['limit'] as number | undefined;
    if (limit === undefined || !Array.isArray(value) || value.length <= limit) return undefined;
    return { value, errors: error('array.max', { limit }) };
  },
  rules: { entries: { method: addEntriesRule, validate: validateEntries } },
});

/** joi's own rule for the entries of an array reports the problems of all of them, which takes long for a list of several hundred. */
function addEntriesRule(this: Joi.Schema, entry: Joi.Schema): Joi.Schema {
  const array = this.$_addRule({ name: 'entries', args: { entry } });
  array.$_mutateRegister(entry);
  return array;
}

/** Validates entries until enough problems are found. */
function validateEntries(given: readonly unknown[], helpers: RuleHelpers, { entry }: { readonly entry: InnerSchema }): unknown {
  const { state, prefs } = helpers;
  const path: readonly unknown[] = state.path ?? [];
  const problems = helpers.errorsArray();
  const value: unknown[] = [];
  for (const [at, item] of given.entries()) {
    const result = entry.$_validate(item, state.localize([...path, at], [given, ...(state.ancestors as readonly unknown[])], entry), prefs);
    if (result.errors) problems.push(...result.errors);
    if (problems.length >= (prefs.abortEarly ? 1 : PROBLEMS_MAX)) break;
    value.push(result.value);
  }
  return problems.length > 0 ? problems : value;
}

/** What joi passes to rules and its types do not declare. */
interface RuleHelpers extends Joi.CustomHelpers {
  readonly errorsArray: () => unknown[];
  readonly state: Joi.State & { localize: (path: readonly unknown[], ancestors: readonly unknown[], schema: InnerSchema) => Joi.State };
}
interface InnerSchema {
  $_validate: (value: unknown, state: Joi.State, prefs: Joi.ValidationOptions) => { value: unknown; errors?: readonly unknown[] };
}

/** One validation error of joi. */
export type ValidationDetail = Joi.ValidationErrorItem;

const FORMATS = {
  uuid: { test: isUuid, code: 'string.guid', hint: 'a UUID such as 7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e' },
  date: { test: isDate, code: 'string.isoDate', hint: 'a date such as 2026-03-31' },
  'date-time': { test: isTimestamp, code: 'string.isoDate', hint: 'a timestamp such as 2026-03-31T14:00:00Z' },
} as const;

const compiled = new WeakMap<AnySchema, Joi.Schema>();

/** Compiles a contract schema to joi. Results are cached by schema object. */
export function toJoi(schema: AnySchema): Joi.Schema {
  let joi = compiled.get(schema);
  if (!joi) {
    joi = applyModifiers(toBaseJoi(schema), schema);
    compiled.set(schema, joi);
  }
  return joi;
}

function toBaseJoi(schema: AnySchema): Joi.Schema {
  switch (schema.kind) {
    case 'string':
      return toStringJoi(schema);
    case 'number':
      return toNumberJoi(schema);
    case 'boolean':
      return loadJoi().boolean();
    case 'enum':
      return loadJoi()
        .string()
        .valid(...schema.values);
    case 'array':
      return schema.csv ? toCsvJoi(schema) : toArrayJoi(schema);
    case 'object':
      return toObjectJoi(schema);
    case 'map':
      return toMapJoi(schema);
    case 'json':
      return loadJoi().any();
  }
}

function toStringJoi(schema: StringSpec): Joi.Schema {
  const { min = 0, max, pattern, format } = schema;
  let joi = loadJoi().string();
  const regexp = pattern === undefined ? undefined : new RegExp(pattern, 'u');
  // joi skips all other rules for explicitly allowed values, so '' is allowed only if it satisfies them.
  if (min === 0 && format === undefined && (regexp?.test('') ?? true)) joi = joi.allow('');
  const rule = format ? FORMATS[format] : undefined;
  const hint = schema.hint ?? rule?.hint;
  return joi.custom((value: string, helpers) => {
    // JSON Schema counts code points. They are counted only if the number of code units exceeds the limit.
    if (max !== undefined && value.length > max && (value.length > 2 * max || countCodePoints(value) > max))
      return helpers.error('string.max', { limit: max });
    if (min > 1 && countCodePoints(value) < min) return helpers.error('string.min', { limit: min });
    if (rule && !rule.test(value)) {
      const isLost = format === 'date-time' && hasLostPlus(value);
      return helpers.error(rule.code, { hint: isLost ? `${hint ?? ''}; in a URL the + of the offset must be written %2B` : hint });
    }
    if (regexp && !regexp.test(value)) {
      const found = describeForbiddenCharacter(value, pattern);
      return helpers.error('string.pattern.base', { hint: found === undefined ? hint : `${hint ?? 'text'}; ${found}` });
    }
    // RFC 9562: UUIDs are case-insensitive; they are stored in lowercase.
    return format === 'uuid' ? value.toLowerCase() : value;
  });
}

function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function toNumberJoi(schema: NumberSpec): Joi.Schema {
  // joi's "unsafe" rule would reject exact decimals with 16 digits; the contract has its own bounds.
  let joi = loadJoi().number().unsafe();
  if (schema.integer) joi = joi.integer();
  if (schema.min !== undefined) joi = joi.min(schema.min);
  if (schema.max !== undefined) joi = joi.max(schema.max);
  if (schema.above !== undefined) joi = joi.greater(schema.above);
  if (schema.below !== undefined) joi = joi.less(schema.below);
  return joi;
}

interface BoundedArray extends Joi.ArraySchema {
  entries: (entry: Joi.Schema) => Joi.ArraySchema;
}

function toArrayJoi(schema: ArraySpec): Joi.Schema {
  let joi = (loadJoi().array() as BoundedArray).entries(toJoi(schema.items));
  if (schema.min !== undefined) joi = joi.min(schema.min);
  if (schema.max !== undefined) joi = joi.max(schema.max);
  if (schema.unique) joi = joi.unique();
  return joi;
}

function toCsvJoi(schema: ArraySpec): Joi.Schema {
  const list = toArrayJoi(schema);
  return loadJoi()
    .any()
    .custom((given: unknown, helpers) => {
      // Most clients repeat the name of a parameter instead of joining its values.
      const texts: readonly unknown[] = Array.isArray(given) ? given : [given];
      if (!texts.every((text) => typeof text === 'string')) return helpers.error('string.base');
      const value = texts.join(',');
      const result = list.validate(value.split(','), { convert: true });
      if (!result.error) return result.value as unknown;
      const [first] = result.error.details;
      return first ? helpers.error(first.type, { ...first.context, value }) : helpers.error('any.invalid');
    });
}

function toMapJoi({ values, maxKeys, maxKeyChars }: MapSpec): Joi.Schema {
  // An empty key is rejected by the rule below, which says what would be right.
  const joi = loadJoi().object().pattern(loadJoi().string().allow(''), toJoi(values));
  const limited = maxKeys === undefined ? joi : joi.max(maxKeys);
  if (maxKeyChars === undefined) return limited;
  const key = new RegExp(ONE_LINE, 'u');
  const hint = `an object whose keys are one line of 1 to ${String(maxKeyChars)} characters`;
  return limited.custom((value: object, helpers) =>
    Object.keys(value).every((name) => name !== '' && countCodePoints(name) <= maxKeyChars && key.test(name))
      ? value
      : helpers.error('object.keys', { hint }),
  );
}

function toObjectJoi(schema: ObjectSpec): Joi.Schema {
  const keys = Object.entries(schema.properties).map(([key, field]) => [key, toJoi(field)] as const);
  return loadJoi().object(Object.fromEntries(keys));
}

function applyModifiers(joi: Joi.Schema, schema: AnySchema): Joi.Schema {
  let result = joi;
  if (schema.nullable) result = result.allow(null);
  const { default: preset, defaultWithCursor } = schema;
  if (defaultWithCursor !== undefined)
    return result.default((parent: { readonly cursor?: unknown }) =>
      parent.cursor === undefined ? preset : (defaultWithCursor ?? undefined),
    );
  if (preset !== undefined) return result.default(preset);
  return schema.optional ? result : result.required();
}
