/** Converts validation errors to the field problems of the contract. A-2. */
import type { FieldCode, FieldProblem } from '../errors.ts';
import { PROBLEMS_MAX } from '../limits.ts';
import { findClosestMatch } from './closest-match.ts';
import { toPointer } from './json-pointer.ts';
import { type ValidationDetail, toJoi } from './joi.ts';
import type { AnySchema, ObjectSpec } from './builder.ts';

type Place = FieldProblem['in'];

/** Converts joi's errors, keeping the first of each path. `schema`: that of the value, which has names to suggest for unknown ones. */
export function toFieldProblems(place: Place, details: readonly ValidationDetail[], schema: AnySchema): readonly FieldProblem[] {
  // joi may report several errors for one value: null, for example, is outside the enum and of the wrong type.
  const problems = new Map<string, FieldProblem>();
  for (const detail of details) {
    const problem = toFieldProblem(place, detail, schema);
    if (!problems.has(problem.path)) problems.set(problem.path, problem);
  }
  return [...problems.values()];
}

/** Validation options for bodies: report all problems, convert nothing. */
export const STRICT_VALIDATION = { abortEarly: false, convert: false, errors: { wrap: { label: false } } } as const;

/** Validates a body as the service would. Returns no problems if it is valid. */
export function validateBody(schema: ObjectSpec, body: unknown): readonly FieldProblem[] {
  const excess = findExcessFields('body', schema, body);
  if (excess) return [excess];
  const { error } = toJoi(schema).validate(body, STRICT_VALIDATION);
  return error ? toFieldProblems('body', error.details, schema) : [];
}

/**
 * The problem of a value with more unknown fields than are reported individually, at the object that exceeds the number. Reporting each of
 * several thousand would block other requests.
 */
export function findExcessFields(place: Place, schema: AnySchema, value: unknown): FieldProblem | undefined {
  let unknown = 0;
  const find = (part: AnySchema, given: unknown): string | undefined => {
    if (typeof given !== 'object' || given === null) return undefined;
    if (part.kind === 'array' && Array.isArray(given))
      return given.length > (part.max ?? Infinity) ? undefined : findIn(Object.keys(given), () => part.items, given);
    if (part.kind !== 'object' || Array.isArray(given)) return undefined;
    const known = Object.keys(given).filter((name) => Object.hasOwn(part.properties, name));
    unknown += Object.keys(given).length - known.length;
    return unknown > PROBLEMS_MAX ? '' : findIn(known, (name) => part.properties[name]!, given);
  };
  const findIn = (names: readonly string[], getSchema: (name: string) => AnySchema, given: object): string | undefined => {
    for (const name of names) {
      const path = find(getSchema(name), (given as Record<string, unknown>)[name]);
      if (path !== undefined) return `/${name}${path}`;
    }
    return undefined;
  };
  const path = find(schema, value);
  if (path === undefined) return undefined;
  return { in: place, path, code: 'too_big', message: `the ${place} has more than ${String(PROBLEMS_MAX)} unknown ${PLACE_NAMES[place]}s` };
}

const PLACE_NAMES = { body: 'field', query: 'query parameter', path: 'path parameter', header: 'header' } as const;

function toFieldProblem(place: Place, detail: ValidationDetail, schema: AnySchema): FieldProblem {
  const name = detail.path.join('.');
  const path = toPointer(detail.path);
  if (detail.type === 'object.unknown')
    return {
      in: place,
      path,
      code: 'unknown_field',
      message: `${name} is not a known ${PLACE_NAMES[place]}${suggestName(detail, schema)}`,
    };
  // A repeated parameter arrives as an array; only lists may be repeated.
  if (place === 'query' && Array.isArray(detail.context?.['value']))
    return { in: place, path, code: 'wrong_type', message: `${name} must be given once` };
  return { in: place, path, code: toFieldCode(detail.type), message: toMessage(name === '' ? `the ${place}` : name, detail) };
}

/** Longer names are not compared: the time grows with their length. */
const SUGGESTIBLE_NAME_MAX_CHARS = 32;

/** Numbered and cursor-based lists name the same thing differently. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  page_size: 'limit',
  pageSize: 'limit',
  page: 'cursor_created_at',
  limit: 'page_size',
};

function suggestName({ path }: ValidationDetail, schema: AnySchema): string {
  const name = String(path.at(-1));
  const known = listNames(path.slice(0, -1), schema);
  const other = OTHER_NAMES[name];
  const near = name.length > SUGGESTIBLE_NAME_MAX_CHARS ? null : findClosestMatch(name, known);
  const match = near ?? (other !== undefined && known.includes(other) ? other : null);
  return match === null ? '' : ` (did you mean ${match}?)`;
}

/** The names of the fields of the object at a path. */
function listNames(path: ValidationDetail['path'], schema: AnySchema | undefined): readonly string[] {
  const [first, ...rest] = path;
  if (schema?.kind === 'object') return first === undefined ? Object.keys(schema.properties) : listNames(rest, schema.properties[first]);
  if (schema?.kind === 'array') return listNames(rest, schema.items);
  return schema?.kind === 'map' ? listNames(rest, schema.values) : [];
}

const FIELD_CODES_BY_RULE: Readonly<Record<string, FieldCode>> = {
  'any.required': 'required',
  'any.only': 'not_allowed',
  'string.empty': 'empty',
  'string.guid': 'bad_format',
  'string.isoDate': 'bad_format',
  'string.pattern.base': 'bad_format',
  'number.less': 'too_big',
  'number.greater': 'too_small',
  'number.integer': 'wrong_type',
  'number.infinity': 'wrong_type',
};

function toFieldCode(type: string): FieldCode {
  const known = FIELD_CODES_BY_RULE[type];
  if (known) return known;
  if (type.endsWith('.base')) return 'wrong_type';
  if (type.endsWith('.min')) return 'too_small';
  if (type.endsWith('.max')) return 'too_big';
  return 'invalid';
}

/** What follows the name of a value that breaks a rule; `LIMIT` stands for the limit of the rule. */
const MESSAGES: Readonly<Record<string, string>> = {
  'any.required': 'is required',
  'string.empty': 'must not be empty',
  'string.base': 'must be a string',
  'number.base': 'must be a number',
  'number.infinity': 'must be a number',
  'number.integer': 'must be a whole number',
  'boolean.base': 'must be true or false',
  'array.base': 'must be an array',
  'object.base': 'must be an object',
  'string.max': 'must have at most LIMIT characters',
  'string.min': 'must have at least LIMIT characters',
  'array.max': 'must have at most LIMIT entries',
  'object.max': 'must have at most LIMIT fields',
  'array.min': 'must have at least LIMIT entries',
  'array.unique': 'repeats an earlier entry',
  'number.min': 'must be at least LIMIT',
  'number.max': 'must be at most LIMIT',
  'number.less': 'must be less than LIMIT',
  'number.greater': 'must be greater than LIMIT',
};

function toMessage(name: string, { type, context = {}, message }: ValidationDetail): string {
  const hint = context['hint'] as string | undefined;
  if (hint !== undefined) return `${name} must be ${hint}`;
  if (type === 'any.only')
    return `${name} must be one of ${(context['valids'] as (string | null)[]).filter((value) => value !== null).join(', ')}`;
  const text = MESSAGES[type];
  return text === undefined ? message : `${name} ${text.replace('LIMIT', String(context['limit']))}`;
}
