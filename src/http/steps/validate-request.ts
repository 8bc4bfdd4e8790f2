/** Validates query, body and path of a request against its operation. */
import type { Request } from '@hapi/hapi';
import { BODY_MAX_VALUES, PROBLEMS_MAX } from '../../contract/limits.ts';
import { countValues } from '../../contract/schema/count-values.ts';
import type { Operation } from '../../contract/operation.ts';
import { StockroomError } from '../../domain/kernel/errors.ts';
import { type Validator, createValidator, validate } from './validator.ts';

export interface RequestValidators {
  readonly query: Validator;
  readonly body: Validator | undefined;
  readonly params: Validator | undefined;
}

export const createRequestValidators = (op: Operation): RequestValidators => ({
  query: createValidator('query', op.query ?? { kind: 'object', properties: {} }),
  body: op.body ? createValidator('body', op.body) : undefined,
  params: op.params ? createValidator('path', op.params) : undefined,
});

/** What a handler reads of a request; undefined where the operation takes nothing. */
export interface RequestInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** The fields and list entries of the largest valid body, and as many unknown fields as are reported individually. */
export const getMaxBodyValues = ({ body }: Operation): number => Math.min(BODY_MAX_VALUES, (body ? countValues(body) : 0) + PROBLEMS_MAX);

/** The valid input, or a 400. A malformed id in the path is a 404, reported after problems of query and body. */
export function validateRequest(
  validators: RequestValidators,
  request: Pick<Request, 'path' | 'params' | 'query'>,
  body: unknown,
): RequestInput {
  const query = validate(validators.query, request.query);
  const validBody = validators.body ? validate(validators.body, body) : undefined;
  if (!validators.params) return { params: undefined, query, body: validBody };
  try {
    return { params: validate(validators.params, request.params), query, body: validBody };
  } catch (cause) {
    throw new StockroomError('NOT_FOUND', `No resource at ${request.path}.`, { cause });
  }
}
