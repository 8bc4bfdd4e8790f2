/** Validates query, body and path of a request against the contract, and reports all problems together. A-2. */
import type { Request } from '@hapi/hapi';
import { BODY_MAX_VALUES, PROBLEMS_MAX } from '../../contract/limits.ts';
import type { FieldProblem } from '../../contract/errors.ts';
import { countValues } from '../../contract/schema/count-values.ts';
import { toJoi } from '../../contract/schema/joi.ts';
import { STRICT_VALIDATION, findExcessFields, toFieldProblems } from '../../contract/schema/field-problems.ts';
import type { ObjectSpec } from '../../contract/schema/builder.ts';
import type { Operation } from '../../contract/operation.ts';
import { explainExtension, isExtensionPath } from '../../contract/strict.ts';
import { StockroomError } from '../../domain/kernel/errors.ts';
import type { OperationRequest } from './operation-request.ts';
import { findBrokenEscapes } from './query-encoding.ts';

/** What is validated of a request. */
type ValidatedRequest = Pick<OperationRequest, 'path' | 'params' | 'query' | 'raw'>;

/** What a handler reads of a request; undefined where the operation takes nothing. */
export interface RequestInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

const NO_PARAMETERS: ObjectSpec = { kind: 'object', properties: {} };

/** The fields and list entries of the largest valid body, and as many unknown fields as are reported individually. */
export const getMaxBodyValues = ({ body }: Operation): number => Math.min(BODY_MAX_VALUES, (body ? countValues(body) : 0) + PROBLEMS_MAX);

/** The valid input, or a 400. In the strict contract, extensions are unknown; the defaults of their absence apply. */
export function validateRequest(op: Operation, request: ValidatedRequest, body: unknown): RequestInput {
  const { extended } = op;
  if (extended === undefined) return validateParts(op, request, body);
  try {
    validateParts(op, request, body);
  } catch (error) {
    throw error instanceof StockroomError ? nameExtensions(error, extended) : error;
  }
  return validateParts(extended, request, body);
}

/** The error with what is an extension named as such. */
function nameExtensions(error: StockroomError, { query, body }: Operation): StockroomError {
  if (error.fields === undefined) return error;
  const shapes: Partial<Record<FieldProblem['in'], ObjectSpec | undefined>> = { query, body };
  return createValidationError(
    error.fields.map((problem) =>
      problem.code === 'unknown_field' && isExtensionPath(shapes[problem.in], problem.path)
        ? { ...problem, message: explainExtension(problem.path.slice(1).replaceAll('/', '.')) }
        : problem,
    ),
  );
}

/** A malformed id in the path is a 404, reported after problems of query and body. */
function validateParts(op: Operation, request: ValidatedRequest, body: unknown): RequestInput {
  const query = validateQuery(op.query ?? NO_PARAMETERS, request);
  const validBody = op.body ? validate('body', op.body, body) : undefined;
  if (!op.params) return { params: undefined, query, body: validBody };
  try {
    return { params: validate('path', op.params, request.params), query, body: validBody };
  } catch (cause) {
    throw new StockroomError('NOT_FOUND', `No resource at ${request.path}.`, { cause });
  }
}

/** The valid query of an operation, or a 400. */
export function validateQuery(spec: ObjectSpec, request: Pick<ValidatedRequest, 'query' | 'raw'>): unknown {
  checkQueryEncoding(request);
  return validate('query', spec, request.query);
}

/** The query of a route without a schema, or a 400. */
export function readQuery(request: Request): URLSearchParams {
  checkQueryEncoding(request);
  return request.url.searchParams;
}

/** For every route that reads its query. A-2. */
function checkQueryEncoding({ raw }: Pick<ValidatedRequest, 'raw'>): void {
  const broken = findBrokenEscapes(raw?.req.url ?? '');
  if (broken.length > 0) throw createValidationError(broken);
}

/** Schemas with their options, which joi would otherwise check with each request. */
const bodySchemas = new WeakMap<ObjectSpec, ReturnType<typeof toJoi>>();
const parameterSchemas = new WeakMap<ObjectSpec, ReturnType<typeof toJoi>>();

function getSchema(location: FieldProblem['in'], spec: ObjectSpec): ReturnType<typeof toJoi> {
  const isBody = location === 'body';
  const schemas = isBody ? bodySchemas : parameterSchemas;
  let schema = schemas.get(spec);
  if (schema === undefined) {
    schema = toJoi(spec).prefs({ ...STRICT_VALIDATION, convert: !isBody });
    schemas.set(spec, schema);
  }
  return schema;
}

/** Returns the value with its defaults, or throws VALIDATION_FAILED. Values in a body must have their type; strings elsewhere are converted. */
export function validate(location: FieldProblem['in'], spec: ObjectSpec, value: unknown): unknown {
  const excess = findExcessFields(location, spec, value);
  if (excess) throw createValidationError([excess]);
  const result = getSchema(location, spec).validate(value);
  if (!result.error) return result.value as unknown;
  throw createValidationError(toFieldProblems(location, result.error.details, spec));
}

function createValidationError(fields: readonly FieldProblem[]): StockroomError {
  const more = fields.length > 1 ? ` (and ${String(fields.length - 1)} more)` : '';
  return new StockroomError('VALIDATION_FAILED', `${fields[0]!.message}${more}.`, { fields });
}
