/** Operations as OpenAPI path items. */
import { BODY_MAX_BYTES, IDEMPOTENCY_KEY_MAX_CHARS } from '../limits.ts';
import { IDEMPOTENCY_KEY, IDEMPOTENCY_KEY_PATTERN, formatHeaderName } from '../headers.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import { type Operation, describeOperation, listErrorCodes, isIdempotent, listSpecificErrorCodes } from '../operation.ts';
import type { AnySchema, ObjectSpec } from '../schema/builder.ts';
import { buildCodeSamples } from './code-samples.ts';
import type { Components } from './components.ts';
import { getTagName } from './info.ts';
import type { ResponseCollector } from './responses.ts';
import { buildSecurity } from './security.ts';

/** Header parameters, by component name. */
export const parameters: Readonly<Record<string, JsonSchema>> = {
  IdempotencyKey: {
    name: formatHeaderName(IDEMPOTENCY_KEY),
    in: 'header',
    required: true,
    description: 'Unique for each new change. Reuse it only to retry a request whose response was lost.',
    schema: { type: 'string', minLength: 1, maxLength: IDEMPOTENCY_KEY_MAX_CHARS, pattern: IDEMPOTENCY_KEY_PATTERN },
    example: 'order-2026-03-31-0001',
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    'x-extension': true,
    description: '`ETag` of the version to change. The request fails with 412 if the record has changed since.',
    schema: { type: 'string' },
  },
};

/** Builds the `paths` of a document, grouping operations by path. */
export function buildPaths(
  operations: readonly Operation[],
  baseUrl: string,
  components: Components,
  responses: ResponseCollector,
): JsonSchema {
  const paths: Record<string, JsonSchema> = {};
  for (const op of operations)
    (paths[op.path] ??= {})[op.method.toLowerCase()] = {
      ...buildOperation(op, components, responses),
      'x-codeSamples': buildCodeSamples(op, baseUrl),
    };
  return paths;
}

function buildOperation(op: Operation, components: Components, replies: ResponseCollector): JsonSchema {
  const listed = [...listFieldParameters(op, 'path', components), ...listFieldParameters(op, 'query', components), ...listHeaders(op)];
  return {
    operationId: op.id,
    tags: [getTagName(op.id)],
    ...(op.extension ? { 'x-extension': true } : {}),
    summary: op.summary,
    description: buildDescription(op),
    security: buildSecurity(op),
    ...(listed.length > 0 ? { parameters: listed } : {}),
    ...(op.body ? { requestBody: buildRequestBody(op, op.body, components) } : {}),
    responses: replies.buildResponses(op),
    // The table of errors on the reference page has the codes that are common to many operations.
    'x-errors': listSpecificErrorCodes(op),
    'x-scope': op.scope,
    ...(op.plan ? { 'x-plan': op.plan } : {}),
  };
}

function buildDescription(op: Operation): string {
  const { scope, plan } = op;
  const description = describeOperation(op);
  const access =
    scope === null ? 'Any valid key can call this operation.' : `Requires the scope \`${scope}\`${plan ? ` and the plan ${plan}` : ''}.`;
  return description === '' ? access : `${description}\n\n${access}`;
}

/** The parameters of an operation in its path or query. */
export function listFieldParameters(op: Operation, place: 'path' | 'query', components: Components): JsonSchema[] {
  const shape = place === 'path' ? op.params : op.query;
  const given: Readonly<Record<string, string>> = (place === 'path' ? op.example?.params : op.example?.query) ?? {};
  return Object.entries(shape?.properties ?? {}).map(([name, field]) => buildParameter(name, place, field, given[name], components));
}

function buildParameter(name: string, place: string, field: AnySchema, given: string | undefined, components: Components): JsonSchema {
  const { description, extension, example: _, ...own } = field;
  const example = given === undefined ? field.example : parseExample(field, given);
  return {
    name,
    in: place,
    ...(place === 'path' || !field.optional ? { required: true } : {}),
    ...(extension ? { 'x-extension': true } : {}),
    ...(description === undefined ? {} : { description }),
    ...(field.kind === 'array' ? { style: 'form', explode: false } : {}),
    schema: components.input(own),
    ...(example === undefined ? {} : { example }),
  };
}

/** Parses a query string value according to its schema. */
function parseExample(schema: AnySchema, value: string): unknown {
  switch (schema.kind) {
    case 'number':
      return Number(value);
    case 'boolean':
      return value === 'true';
    case 'array':
      return value.split(',').map((entry) => parseExample(schema.items, entry));
    default:
      return value;
  }
}

const listHeaders = (op: Operation): JsonSchema[] => [
  ...(isIdempotent(op) ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
  ...(listErrorCodes(op).includes('PRECONDITION_FAILED') ? [{ $ref: '#/components/parameters/IfMatch' }] : []),
];

export function buildRequestBody(op: Operation, body: ObjectSpec, components: Components): JsonSchema {
  const isEmpty = Object.keys(body.properties).length === 0;
  const limit = `A JSON object of at most ${String(BODY_MAX_BYTES / 1_048_576)} MiB.`;
  return {
    // An absent body counts as {}.
    required: !isEmpty,
    description: isEmpty ? 'Empty, or an empty object.' : limit,
    content: { 'application/json': { schema: components.input(body), example: op.example?.body ?? {} } },
  };
}
