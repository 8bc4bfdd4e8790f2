/** The OpenAPI 3.1 document of the control port, generated from the admin contract. */
import { toControlPath } from '../admin/control.ts';
import { ADMIN_OPERATIONS } from '../admin/index.ts';
import { errorEnvelope } from '../error-envelope.ts';
import { type Operation, describeOperation, listErrorCodes } from '../operation.ts';
import type { ObjectSpec } from '../schema/builder.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import { type Components, collectSchemas } from './components.ts';
import { DOCUMENT_VERSION, LICENSE } from './info.ts';
import { buildRequestBody, listFieldParameters } from './paths.ts';

const DESCRIPTION =
  'The admin operations of a daemon that was started with `--control-port`, by `exec` or in a test. ' +
  'Every request needs the token of STOCKROOM_CONTROL_TOKEN as `Authorization: Bearer`. Requests of browsers are rejected.';

/** Builds the document for a control port at `baseUrl`, which has no trailing slash. */
export function buildControlDocument(baseUrl: string, operations: readonly Operation[] = ADMIN_OPERATIONS): JsonSchema {
  const components = collectSchemas('draft-2020-12');
  const paths: Record<string, JsonSchema> = {};
  for (const op of operations) (paths[toControlPath(op.path)] ??= {})[op.method.toLowerCase()] = buildOperation(op, components);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Stockroom control',
      version: DOCUMENT_VERSION,
      description: DESCRIPTION,
      license: { name: LICENSE.name, identifier: LICENSE.identifier },
    },
    servers: [{ url: baseUrl }],
    security: [{ token: [] }],
    tags: [...new Set(operations.map(getTag))].toSorted().map((name) => ({ name, description: `Operations of ${name}.` })),
    paths,
    components: { schemas: components.schemas(), securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  };
}

const getTag = ({ id }: Operation): string => id.split('.', 1)[0] ?? '';

function buildOperation(op: Operation, components: Components): JsonSchema {
  const description = describeOperation(op);
  const parameters = [...listFieldParameters(op, 'path', components), ...listFieldParameters(op, 'query', components)];
  const codes = listErrorCodes(op).map((code) => `\`${code}\``);
  return {
    operationId: op.id,
    tags: [getTag(op)],
    summary: op.summary,
    ...(description === '' ? {} : { description }),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(op.body ? { requestBody: toRequestBody(op, op.body, components) } : {}),
    responses: {
      [op.status]: op.result === null ? { description: 'Done.' } : toJsonResponse('OK.', components.output(op.result)),
      '4XX': toJsonResponse(`An error, such as ${codes.join(', ')}.`, components.output(errorEnvelope)),
    },
  };
}

/** An example only where the contract has one. */
function toRequestBody(op: Operation, body: ObjectSpec, components: Components): JsonSchema {
  const request = buildRequestBody(op, body, components);
  return op.example?.body === undefined ? { ...request, content: { 'application/json': { schema: components.input(body) } } } : request;
}

const toJsonResponse = (description: string, schema: JsonSchema): JsonSchema => ({
  description,
  content: { 'application/json': { schema } },
});
