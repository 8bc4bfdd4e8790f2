/** Checks the parts of a request against the contract and reports every problem at once. decisions-api §2. */
import type Joi from 'joi';
import type { FieldCode, FieldProblem } from '../contract/errors.ts';
import { toJoi } from '../contract/joi.ts';
import type { ObjectSpec } from '../contract/schema.ts';
import { StockroomError } from '../domain/errors.ts';
import { plainness } from './plain.ts';

type Place = FieldProblem['in'];

/** Checks one part of a request; `body` is taken as typed, strings of the other places are converted. */
export interface Check {
  readonly place: Place;
  readonly schema: Joi.Schema;
  readonly plain: ReturnType<typeof plainness>;
}

export const checkOf = (place: Place, spec: ObjectSpec): Check => ({ place, schema: toJoi(spec), plain: plainness(spec) });

const BODY: Joi.ValidationOptions = { abortEarly: false, convert: false, errors: { wrap: { label: false } } };
const STRINGS: Joi.ValidationOptions = { abortEarly: false, convert: true, errors: { wrap: { label: false } } };

/** The validated value with its defaults, or throws VALIDATION_FAILED with every problem. */
export function validate(check: Check, value: unknown): unknown {
  const plain = check.plain(value);
  if (plain !== undefined) return plain;
  const result = check.schema.validate(value, check.place === 'body' ? BODY : STRINGS);
  if (!result.error) return result.value as unknown;
  // A value outside an enum also has the wrong type when it is null: one problem a place is enough.
  const problems = new Map<string, FieldProblem>();
  for (const detail of result.error.details) {
    const problem = problemOf(check.place, detail);
    if (!problems.has(problem.path)) problems.set(problem.path, problem);
  }
  throw validationFailed([...problems.values()]);
}

export function validationFailed(fields: readonly FieldProblem[]): StockroomError {
  const [first] = fields;
  const more = fields.length > 1 ? ` (and ${String(fields.length - 1)} more)` : '';
  return new StockroomError('VALIDATION_FAILED', `${first?.message ?? 'The request is invalid'}${more}.`, { fields });
}

const KNOWN_AS = { body: 'field', query: 'query parameter', path: 'path parameter', header: 'header' } as const;

function problemOf(place: Place, detail: Joi.ValidationErrorItem): FieldProblem {
  const name = detail.path.join('.');
  return {
    in: place,
    path: detail.path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''),
    code: codeOf(detail.type),
    message:
      detail.type === 'object.unknown'
        ? `${name} is not a known ${KNOWN_AS[place]}`
        : messageOf(name === '' ? `the ${place}` : name, detail),
  };
}

const CODES: Readonly<Record<string, FieldCode>> = {
  'any.required': 'required',
  'any.only': 'not_allowed',
  'object.unknown': 'unknown_field',
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

function messageOf(name: string, { type, context = {}, message }: Joi.ValidationErrorItem): string {
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
