/** Validates the parts of a request against the contract, and reports all problems together. A-2. */
import type Joi from 'joi';
import type { FieldProblem } from '../../contract/errors.ts';
import { toJoi } from '../../contract/schema/joi.ts';
import { STRICT_VALIDATION, findExcessFields, toFieldProblems } from '../../contract/schema/field-problems.ts';
import type { ObjectSpec } from '../../contract/schema/builder.ts';
import { StockroomError } from '../../domain/kernel/errors.ts';

type InputLocation = FieldProblem['in'];

/** Validates one part of a request. Values in the body must have their type; strings of query and path are converted. */
export interface Validator {
  readonly location: InputLocation;
  readonly spec: ObjectSpec;
  readonly schema: Joi.Schema;
}

export function createValidator(location: InputLocation, spec: ObjectSpec): Validator {
  let schema: Joi.Schema | undefined;
  return {
    location,
    spec,
    // Created when first needed: many never are, and all together take a considerable part of a start.
    get schema() {
      return (schema ??= toJoi(spec));
    },
  };
}

const STRING_VALIDATION: Joi.ValidationOptions = { ...STRICT_VALIDATION, convert: true };

/** Returns the value with its defaults and conversions, or throws VALIDATION_FAILED with all problems. */
export function validate(validator: Validator, value: unknown): unknown {
  const excess = findExcessFields(validator.location, validator.spec, value);
  if (excess) throw createValidationError([excess]);
  const result = validator.schema.validate(value, validator.location === 'body' ? STRICT_VALIDATION : STRING_VALIDATION);
  if (!result.error) return result.value as unknown;
  const known = validator.location === 'query' ? Object.keys(validator.spec.properties) : [];
  throw createValidationError(toFieldProblems(validator.location, result.error.details, known));
}

export function createValidationError(fields: readonly FieldProblem[]): StockroomError {
  const [first] = fields;
  const more = fields.length > 1 ? ` (and ${String(fields.length - 1)} more)` : '';
  return new StockroomError('VALIDATION_FAILED', `${first?.message ?? 'The request is invalid'}${more}.`, { fields });
}
