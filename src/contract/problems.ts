/** What a validator found, in the words and codes of the contract. decisions-api §2. */
import type { FieldCode, FieldProblem } from './errors.ts';
import { type ValidationDetail, toJoi } from './joi.ts';
import type { AnySchema, ObjectSpec } from './schema.ts';

type Place = FieldProblem['in'];

/** One problem for each place, the first that was found. */
export function fieldProblems(place: Place, details: readonly ValidationDetail[]): readonly FieldProblem[] {
  // A value outside an enum also has the wrong type when it is null: one problem a place is enough.
  const problems = new Map<string, FieldProblem>();
  for (const detail of details) {
    const problem = problemOf(place, detail);
    if (!problems.has(problem.path)) problems.set(problem.path, problem);
  }
  return [...problems.values()];
}

/** How a body is checked: every problem at once, and nothing converted. */
export const AS_TYPED = { abortEarly: false, convert: false, errors: { wrap: { label: false } } } as const;

/** What a service with this contract would say against a body; nothing: it fits. */
export function bodyProblems(schema: ObjectSpec, body: unknown): readonly FieldProblem[] {
  const excess = excessOf('body', schema, body);
  if (excess) return [excess];
  const { error } = toJoi(schema).validate(body, AS_TYPED);
  return error ? fieldProblems('body', error.details) : [];
}

/** Fewer unknown fields are told each by its name. */
const UNKNOWN_MAX = 100;

/**
 * The object in a value that has far more fields than there are. Some ten thousand of them are no typing errors, and to look at each and
 * name it would keep everybody else waiting.
 */
export function excessOf(place: Place, schema: AnySchema, value: unknown, path = ''): FieldProblem | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (schema.kind === 'array' && Array.isArray(value) && value.length <= (schema.max ?? Infinity))
    return firstOf(value.entries(), ([at, entry]) => excessOf(place, schema.items, entry, `${path}/${String(at)}`));
  if (schema.kind !== 'object') return undefined;
  const known = Object.entries(schema.properties);
  if (Object.keys(value).length > known.length + UNKNOWN_MAX) {
    const name = path === '' ? `the ${place}` : path.slice(1).replaceAll('/', '.');
    return { in: place, path, code: 'too_big', message: `${name} must have at most ${String(known.length)} fields` };
  }
  return firstOf(known, ([name, field]) => excessOf(place, field, (value as Record<string, unknown>)[name], `${path}/${name}`));
}

function firstOf<T, R>(all: Iterable<T>, find: (each: T) => R | undefined): R | undefined {
  for (const each of all) {
    const found = find(each);
    if (found !== undefined) return found;
  }
  return undefined;
}

const KNOWN_AS = { body: 'field', query: 'query parameter', path: 'path parameter', header: 'header' } as const;

function problemOf(place: Place, detail: ValidationDetail): FieldProblem {
  const name = detail.path.join('.');
  const path = detail.path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  if (detail.type === 'object.unknown')
    return { in: place, path, code: 'unknown_field', message: `${name} is not a known ${KNOWN_AS[place]}` };
  // A parameter that is repeated arrives as a list; lists are joined by commas.
  if (place === 'query' && Array.isArray(detail.context?.['value']))
    return { in: place, path, code: 'wrong_type', message: `${name} must be given once` };
  return { in: place, path, code: codeOf(detail.type), message: messageOf(name === '' ? `the ${place}` : name, detail) };
}

const CODES: Readonly<Record<string, FieldCode>> = {
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

function codeOf(type: string): FieldCode {
  const known = CODES[type];
  if (known) return known;
  if (type.endsWith('.base')) return 'wrong_type';
  if (type.endsWith('.min')) return 'too_small';
  if (type.endsWith('.max')) return 'too_big';
  return 'invalid';
}

function messageOf(name: string, { type, context = {}, message }: ValidationDetail): string {
  const hint = context['hint'] as string | undefined;
  if (hint !== undefined) return `${name} must be ${hint}`;
  const limit = String(context['limit']);
  switch (type) {
    case 'any.required':
      return `${name} is required`;
    case 'any.only':
      return `${name} must be one of ${(context['valids'] as (string | null)[]).filter((value) => value !== null).join(', ')}`;
    case 'string.empty':
      return `${name} must not be empty`;
    case 'string.base':
      return `${name} must be a string`;
    case 'number.base':
    case 'number.infinity':
      return `${name} must be a number`;
    case 'number.integer':
      return `${name} must be a whole number`;
    case 'boolean.base':
      return `${name} must be true or false`;
    case 'array.base':
      return `${name} must be a list`;
    case 'object.base':
      return `${name} must be an object`;
    case 'string.max':
      return `${name} must have at most ${limit} characters`;
    case 'string.min':
      return `${name} must have at least ${limit} characters`;
    case 'array.max':
      return `${name} must have at most ${limit} entries`;
    case 'object.max':
      return `${name} must have at most ${limit} fields`;
    case 'array.min':
      return `${name} must have at least ${limit} entries`;
    case 'array.unique':
      return `${name} repeats an earlier entry`;
    case 'number.min':
      return `${name} must be at least ${limit}`;
    case 'number.max':
      return `${name} must be at most ${limit}`;
    case 'number.less':
      return `${name} must be less than ${limit}`;
    case 'number.greater':
      return `${name} must be greater than ${limit}`;
    default:
      return message;
  }
}
