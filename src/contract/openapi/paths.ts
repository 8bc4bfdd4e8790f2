/** Operations as OpenAPI path items. */
import { BODY_MAX_BYTES, IDEMPOTENCY_KEY_MAX_CHARS } from '../limits.ts';
import { IDEMPOTENCY_KEY, headerName } from '../headers.ts';
import type { JsonSchema } from '../json-schema.ts';
import { type Operation, errorsOf, isIdempotent } from '../operation.ts';
import type { AnySchema, ObjectSpec } from '../schema.ts';
import type { Components } from './components.ts';
import { tagOf } from './info.ts';
import type { Replies } from './replies.ts';
import { securityOf } from './security.ts';

/** Header parameters, by component name. */
export const parameters: Readonly<Record<string, JsonSchema>> = {
  IdempotencyKey: {
    name: headerName(IDEMPOTENCY_KEY),
    in: 'header',
    required: true,
    description: 'New for every new change; the same to repeat a request whose answer was lost.',
    schema: { type: 'string', minLength: 1, maxLength: IDEMPOTENCY_KEY_MAX_CHARS, pattern: '^[\\u0021-\\u007e]+$' },
    example: 'order-2026-03-31-0001',
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    'x-extension': true,
    description: 'The `ETag` of the version that you have seen: refused with 412 when the record changed since.',
    schema: { type: 'string' },
  },
};

/** The `paths` of a document; operations of one path stand together. */
export function pathsOf(operations: readonly Operation[], components: Components, replies: Replies): JsonSchema {
  const paths: Record<string, JsonSchema> = {};
  for (const op of operations) (paths[op.path] ??= {})[op.method.toLowerCase()] = operationObject(op, components, replies);
  return paths;
}

function operationObject(op: Operation, components: Components, replies: Replies): JsonSchema {
  const listed = [...parametersOf(op, 'path', components), ...parametersOf(op, 'query', components), ...headersOf(op)];
  return {
    operationId: op.id,
    tags: [tagOf(op.id)],
    summary: op.summary,
    description: descriptionOf(op),
    security: securityOf(op),
    ...(listed.length > 0 ? { parameters: listed } : {}),
    ...(op.body ? { requestBody: bodyOf(op, op.body, components) } : {}),
    responses: replies.of(op),
    'x-scope': op.scope,
    ...(op.plan ? { 'x-plan': op.plan } : {}),
  };
}

function descriptionOf({ description, scope, plan }: Operation): string {
  const access = scope === null ? 'Any valid key may call this.' : `Needs the scope \`${scope}\`${plan ? ` and the plan ${plan}` : ''}.`;
  return description === undefined ? access : `${description}\n\n${access}`;
}

function parametersOf(op: Operation, place: 'path' | 'query', components: Components): JsonSchema[] {
  const shape = place === 'path' ? op.params : op.query;
  const given: Readonly<Record<string, string>> = (place === 'path' ? op.example?.params : op.example?.query) ?? {};
  return Object.entries(shape?.properties ?? {}).map(([name, field]) => parameter(name, place, field, given[name], components));
}

function parameter(name: string, place: string, field: AnySchema, given: string | undefined, components: Components): JsonSchema {
  const { description, extension, example: _, ...own } = field;
  const example = given === undefined ? field.example : typed(field, given);
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

/** A value of a query string as what it stands for. */
function typed(schema: AnySchema, value: string): unknown {
  switch (schema.kind) {
    case 'number':
      return Number(value);
    case 'boolean':
      return value === 'true';
    case 'array':
      return value.split(',').map((entry) => typed(schema.items, entry));
    default:
      return value;
  }
}

const headersOf = (op: Operation): JsonSchema[] => [
  ...(isIdempotent(op) ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
  ...(errorsOf(op).includes('PRECONDITION_FAILED') ? [{ $ref: '#/components/parameters/IfMatch' }] : []),
];

function bodyOf(op: Operation, body: ObjectSpec, components: Components): JsonSchema {
  const isEmpty = Object.keys(body.properties).length === 0;
  const limit = `At most ${String(BODY_MAX_BYTES / 1_048_576)} MiB.`;
  return {
    // An absent body counts as {}.
    required: !isEmpty,
    description: isEmpty ? 'Nothing, or an empty object.' : limit,
    content: { 'application/json': { schema: components.input(body), example: op.example?.body ?? {} } },
  };
}
