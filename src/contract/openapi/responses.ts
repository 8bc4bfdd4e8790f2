/** The responses of an operation: success with an example, and its errors by status. */
import { errorEnvelope } from '../error-envelope.ts';
import { type ErrorCode, errors } from '../errors.ts';
import { IDEMPOTENT_REPLAYED, RATE_LIMIT, REQUEST_ID, formatHeaderName } from '../headers.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import { type Operation, listErrorCodes, isIdempotent } from '../operation.ts';
import type { ObjectSpec } from '../schema/builder.ts';
import type { Components } from './components.ts';
import { buildExample, generateId } from './example.ts';
import { outcomes, responseSamples, samples } from './samples.ts';

const RETRY_AFTER = 'Retry-After';
const stringValue = (example: string, more: JsonSchema = {}): JsonSchema => ({ schema: { type: 'string', ...more }, example });
const integerValue = (example: number): JsonSchema => ({ schema: { type: 'integer', minimum: 0 }, example });
const describeHeader = (description: string, value: JsonSchema): JsonSchema => ({ description, ...value });

const PATH_OF_ITEM = stringValue(`/v1/items/${generateId('item')}`);

/** The response headers, by name. */
export const headers: Readonly<Record<string, JsonSchema>> = {
  [formatHeaderName(REQUEST_ID)]: describeHeader("Id of the request in the service's log; the client's own if it sent a valid one.", {
    required: true,
    ...stringValue(generateId('request')),
  }),
  [formatHeaderName(RATE_LIMIT.policy)]: describeHeader(
    'Limit and window length in seconds (IETF draft).',
    stringValue('"default";q=120;w=60'),
  ),
  [formatHeaderName(RATE_LIMIT.state)]: describeHeader(
    'Remaining requests and seconds until the window ends (IETF draft).',
    stringValue('"default";r=119;t=60'),
  ),
  [formatHeaderName(RATE_LIMIT.limit)]: describeHeader('Requests per window.', integerValue(120)),
  [formatHeaderName(RATE_LIMIT.remaining)]: describeHeader('Remaining requests in the window.', integerValue(119)),
  [formatHeaderName(RATE_LIMIT.reset)]: describeHeader('End of the window in Unix time (seconds).', integerValue(1_774_965_660)),
  [formatHeaderName(IDEMPOTENT_REPLAYED)]: describeHeader(
    '`true` if this is the stored response to an earlier request with the same key.',
    stringValue('true', { enum: ['true'] }),
  ),
  ETag: describeHeader('Version of the record, for `If-Match`.', stringValue('"2026-03-31T14:00:00.000Z"')),
  Location: describeHeader('Path of the created resource.', { required: true, ...PATH_OF_ITEM }),
  [RETRY_AFTER]: describeHeader('Seconds to wait before retrying.', { schema: { type: 'integer', minimum: 1 }, example: 30 }),
  'WWW-Authenticate': describeHeader('Supported authentication.', stringValue('Bearer realm="stockroom"')),
  Accept: describeHeader('Media type that the service accepts.', stringValue('application/json')),
  Connection: describeHeader('`close`: the service closes the connection.', stringValue('close')),
};

const LOCATION_UNLESS_DRY_RUN = describeHeader('Path of the created resource. A dry run has none.', PATH_OF_ITEM);
const toHeaderReferences = (names: readonly string[]): JsonSchema =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
const commonHeaders = [formatHeaderName(REQUEST_ID)];
const rateLimitedHeaders = [...commonHeaders, ...Object.values(RATE_LIMIT).map(formatHeaderName)];

/** Additional headers of error responses, by status. */
const ERROR_HEADERS: Readonly<Record<number, readonly string[]>> = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  408: ['Connection'],
  415: ['Accept'],
  429: [RETRY_AFTER],
  503: [RETRY_AFTER],
};

export interface ResponseCollector {
  /** The `responses` object of an operation. */
  buildResponses(op: Operation): JsonSchema;
  /** Error responses shared by several operations, by name. */
  listShared(): Record<string, JsonSchema>;
}

/** Collects the error responses that several of the `operations` share. */
export function collectResponses(operations: readonly Operation[], components: Components): ResponseCollector {
  const shared = new Map<string, JsonSchema>();
  const uses = new Map<string, number>();
  const groups = (op: Operation) => Map.groupBy(listErrorCodes(op), (code) => errors[code].status);
  for (const op of operations)
    for (const [, codes] of groups(op)) uses.set(toResponseName(codes), (uses.get(toResponseName(codes)) ?? 0) + 1);
  const refusal = (status: number, codes: readonly ErrorCode[]): JsonSchema => {
    const reply = buildErrorResponse(status, codes, components);
    const name = toResponseName(codes);
    if ((uses.get(name) ?? 0) < 2) return reply;
    shared.set(name, reply);
    return { $ref: `#/components/responses/${name}` };
  };
  return {
    buildResponses: (op) => ({
      [op.status]: buildSuccessResponse(op, components),
      ...(op.createdStatus && { [op.createdStatus]: buildSuccessResponse({ ...op, status: op.createdStatus }, components) }),
      ...Object.fromEntries([...groups(op)].map(([status, codes]) => [status, refusal(status, codes)])),
    }),
    listShared: () => Object.fromEntries([...shared].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

const toPascalCase = (code: string): string =>
  code.toLowerCase().replaceAll(/(?:^|_)([a-z])/gu, (_all, letter: string) => letter.toUpperCase());
const toResponseName = (codes: readonly ErrorCode[]): string => codes.map(toPascalCase).join('Or');

function buildSuccessResponse(op: Operation, components: Components): JsonSchema {
  const hasDryRun = op.query?.properties['dry_run'] !== undefined;
  const names = [
    ...rateLimitedHeaders,
    ...(isIdempotent(op) ? [formatHeaderName(IDEMPOTENT_REPLAYED)] : []),
    ...(op.status === 201 && !hasDryRun ? ['Location'] : []),
    ...(hasVersion(op) ? ['ETag'] : []),
  ];
  const ownHeaders = { ...toHeaderReferences(names), ...(op.status === 201 && hasDryRun ? { Location: LOCATION_UNLESS_DRY_RUN } : {}) };
  const description = op.result === null ? 'Done.' : op.status === 201 ? 'Created.' : 'OK.';
  if (op.result === null) return { description, headers: ownHeaders };
  const content = { 'application/json': { schema: components.output(op.result), example: buildResponseExample(op, op.result) } };
  return { description, headers: ownHeaders, content };
}

/** Whether the response is a single record with a version (`updatedAt`). */
function hasVersion({ result }: Operation): boolean {
  const data = result?.kind === 'object' ? result.properties['data'] : undefined;
  return data?.kind === 'object' && data.properties['updatedAt'] !== undefined;
}

/** The record that results from the example request. */
function buildResponseExample(op: Operation, result: NonNullable<Operation['result']>): unknown {
  const given =
    result.kind === 'object' && hasVersion(op)
      ? { data: copyFromRequest(op, result.properties['data'] as ObjectSpec) }
      : responseSamples[op.id];
  const shownOnce = op.method === 'POST' ? Object.fromEntries((op.shownOnce ?? []).map((name) => [name, SECRET])) : {};
  return buildExample(result, samples, { ...given, ...shownOnce });
}

const SECRET = '6d1f0c9a'.repeat(8);

/** Values of the example request for fields that the record also has. */
function copyFromRequest({ id, example }: Operation, record: ObjectSpec): Record<string, unknown> {
  const body = (example?.body ?? {}) as Record<string, unknown>;
  const isSame = ([name, value]: readonly [string, unknown]): boolean => {
    const field = record.properties[name];
    return field !== undefined && typeof value !== 'object' && (field.kind !== 'enum' || field.values.some((each) => each === value));
  };
  return { ...Object.fromEntries(Object.entries(body).filter(isSame)), ...outcomes[id] };
}

function buildErrorResponse(status: number, codes: readonly ErrorCode[], components: Components): JsonSchema {
  return {
    description: codes.map((code) => `\`${code}\`: ${errors[code].meaning}`).join('\n\n'),
    headers: toHeaderReferences([
      ...(status === 401 ? commonHeaders : rateLimitedHeaders),
      ...(ERROR_HEADERS[status] ?? []),
      ...(codes.includes('IDEMPOTENCY_IN_PROGRESS') ? [RETRY_AFTER] : []),
    ]),
    content: {
      'application/json': {
        schema: components.output(errorEnvelope),
        // Named after the error codes.
        examples: Object.fromEntries(codes.map((code) => [code, { summary: errors[code].meaning, value: buildErrorExample(code) }])),
      },
    },
  };
}

function buildErrorExample(code: ErrorCode): unknown {
  const { status, meaning } = errors[code];
  const fields = [{ in: 'body', path: '/name', code: 'required', message: 'name is required' }];
  return {
    error: {
      code,
      message: meaning.replaceAll('`', ''),
      status,
      requestId: generateId('request'),
      ...(code === 'VALIDATION_FAILED' ? { fields } : {}),
    },
  };
}
