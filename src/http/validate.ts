/** Checks the parts of a request against the contract and reports every problem at once. decisions-api §2. */
import type Joi from 'joi';
import type { FieldProblem } from '../contract/errors.ts';
import { toJoi } from '../contract/joi.ts';
import { AS_TYPED, excessOf, fieldProblems } from '../contract/problems.ts';
import type { ObjectSpec } from '../contract/schema.ts';
import { StockroomError } from '../domain/errors.ts';
import { plainness } from './plain.ts';

type Place = FieldProblem['in'];

/** Checks one part of a request; `body` is taken as typed, strings of the other places are converted. */
export interface Check {
  readonly place: Place;
  readonly spec: ObjectSpec;
  readonly schema: Joi.Schema;
  readonly plain: ReturnType<typeof plainness>;
}

export function checkOf(place: Place, spec: ObjectSpec): Check {
  let schema: Joi.Schema | undefined;
  return {
    place,
    spec,
    // Made when it is first needed: many never are, and all of them together are a good part of a start.
    get schema() {
      return (schema ??= toJoi(spec));
    },
    plain: plainness(spec),
  };
}

const STRINGS: Joi.ValidationOptions = { ...AS_TYPED, convert: true };

/** The validated value with its defaults, or throws VALIDATION_FAILED with every problem. */
export function validate(check: Check, value: unknown): unknown {
  const plain = check.plain(value);
  if (plain !== undefined) return plain;
  const excess = excessOf(check.place, check.spec, value);
  if (excess) throw validationFailed([excess]);
  const result = check.schema.validate(value, check.place === 'body' ? AS_TYPED : STRINGS);
  if (!result.error) return result.value as unknown;
  throw validationFailed(fieldProblems(check.place, result.error.details));
}

export function validationFailed(fields: readonly FieldProblem[]): StockroomError {
  const [first] = fields;
  const more = fields.length > 1 ? ` (and ${String(fields.length - 1)} more)` : '';
  return new StockroomError('VALIDATION_FAILED', `${first?.message ?? 'The request is invalid'}${more}.`, { fields });
}
