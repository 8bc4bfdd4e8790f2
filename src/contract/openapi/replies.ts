/** What an operation answers: success with an example, and every refusal that it can meet, by status. */
import { errorEnvelope } from '../envelope.ts';
import { type ErrorCode, errors } from '../errors.ts';
import { IDEMPOTENT_REPLAYED, RATE_LIMIT, REQUEST_ID, headerName } from '../headers.ts';
import type { JsonSchema } from '../json-schema.ts';
import { type Operation, errorsOf, isIdempotent } from '../operation.ts';
import type { ObjectSpec } from '../schema.ts';
import type { Components } from './components.ts';
import { exampleOf, idFor } from './example.ts';
import { outcomes, samples } from './samples.ts';

const RETRY_AFTER = 'Retry-After';
const text = (example: string, more: JsonSchema = {}): JsonSchema => ({ schema: { type: 'string', ...more }, example });
const integer = (example: number): JsonSchema => ({ schema: { type: 'integer', minimum: 0 }, example });
const header = (description: string, value: JsonSchema): JsonSchema => ({ description, ...value });

/** Every header that an answer may have beside those of any HTTP message. */
export const headers: Readonly<Record<string, JsonSchema>> = {
  [headerName(REQUEST_ID)]: header('Names the request in the log of the service; your own, if you sent one.', {
    required: true,
    ...text(idFor('request')),
  }),
  [headerName(RATE_LIMIT.policy)]: header('The limit and the length of the window in seconds (IETF draft).', text('"default";q=120;w=60')),
  [headerName(RATE_LIMIT.state)]: header('What is left, and the seconds until the window ends (IETF draft).', text('"default";r=119;t=60')),
  [headerName(RATE_LIMIT.limit)]: header('Requests per window.', integer(120)),
  [headerName(RATE_LIMIT.remaining)]: header('Requests left in the window.', integer(119)),
  [headerName(RATE_LIMIT.reset)]: header('When the window ends, in seconds since 1970.', integer(1_774_965_660)),
  [headerName(IDEMPOTENT_REPLAYED)]: header(
    '`true` when this is the stored answer to an earlier request with the same key.',
    text('true', { enum: ['true'] }),
  ),
  ETag: header('The version of the record, for `If-Match`.', text('"2026-03-31T14:00:00.000Z"')),
  Location: header('The path of what was created.', { required: true, ...text(`/v1/items/${idFor('item')}`) }),
  [RETRY_AFTER]: header('Seconds to wait.', { schema: { type: 'integer', minimum: 1 }, example: 30 }),
  'WWW-Authenticate': header('How to authenticate.', text('Bearer realm="stockroom"')),
  Accept: header('The media type that the service reads.', text('application/json')),
  Connection: header('`close`: the connection is of no more use.', text('close')),
};

const refer = (names: readonly string[]): JsonSchema =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
const always = [headerName(REQUEST_ID)];
const rated = [...always, ...Object.values(RATE_LIMIT).map(headerName)];

/** Headers of refusals beside the common ones, by status. */
const HEADERS_OF: Readonly<Record<number, readonly string[]>> = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  408: ['Connection'],
  415: ['Accept'],
  429: [RETRY_AFTER],
  503: [RETRY_AFTER],
};

export interface Replies {
  /** The `responses` of an operation. */
  of(op: Operation): JsonSchema;
  /** Refusals that several operations share, by name. */
  responses(): Record<string, JsonSchema>;
}

/** `operations` decides what is shared. */
export function collectReplies(operations: readonly Operation[], components: Components): Replies {
  const shared = new Map<string, JsonSchema>();
  const uses = new Map<string, number>();
  const groups = (op: Operation) => Map.groupBy(errorsOf(op), (code) => errors[code].status);
  for (const op of operations) for (const [, codes] of groups(op)) uses.set(nameOf(codes), (uses.get(nameOf(codes)) ?? 0) + 1);
  const refusal = (status: number, codes: readonly ErrorCode[]): JsonSchema => {
    const reply = refused(status, codes, components);
    const name = nameOf(codes);
    if ((uses.get(name) ?? 0) < 2) return reply;
    shared.set(name, reply);
    return { $ref: `#/components/responses/${name}` };
  };
  return {
    of: (op) => ({
      [op.status]: success(op, components),
      ...Object.fromEntries([...groups(op)].map(([status, codes]) => [status, refusal(status, codes)])),
    }),
    responses: () => Object.fromEntries([...shared].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

const pascal = (code: string): string => code.toLowerCase().replaceAll(/(?:^|_)([a-z])/gu, (_all, letter: string) => letter.toUpperCase());
const nameOf = (codes: readonly ErrorCode[]): string => codes.map(pascal).join('Or');

function success(op: Operation, components: Components): JsonSchema {
  const names = [
    ...rated,
    ...(isIdempotent(op) ? [headerName(IDEMPOTENT_REPLAYED)] : []),
    ...(op.status === 201 ? ['Location'] : []),
    ...(hasVersion(op) ? ['ETag'] : []),
  ];
  const description = op.result === null ? 'Done.' : op.status === 201 ? 'Created.' : 'OK.';
  if (op.result === null) return { description, headers: refer(names) };
  const content = { 'application/json': { schema: components.output(op.result), example: replyExample(op, op.result) } };
  return { description, headers: refer(names), content };
}

/** Whether the answer is one record with an `updatedAt`: its version. */
function hasVersion({ result }: Operation): boolean {
  const data = result?.kind === 'object' ? result.properties['data'] : undefined;
  return data?.kind === 'object' && data.properties['updatedAt'] !== undefined;
}

/** A record as the example of the request would leave it. */
function replyExample(op: Operation, result: NonNullable<Operation['result']>): unknown {
  const given = result.kind === 'object' && hasVersion(op) ? { data: repeated(op, result.properties['data'] as ObjectSpec) } : undefined;
  const shownOnce = op.method === 'POST' ? Object.fromEntries((op.shownOnce ?? []).map((name) => [name, SECRET])) : {};
  return exampleOf(result, samples, { ...given, ...shownOnce });
}

const SECRET = '6d1f0c9a'.repeat(8);

/** What the request says of fields that the record has too. */
function repeated({ id, example }: Operation, record: ObjectSpec): Record<string, unknown> {
  const body = (example?.body ?? {}) as Record<string, unknown>;
  const isSame = ([name, value]: readonly [string, unknown]): boolean => {
    const field = record.properties[name];
    return field !== undefined && typeof value !== 'object' && (field.kind !== 'enum' || field.values.some((each) => each === value));
  };
  return { ...Object.fromEntries(Object.entries(body).filter(isSame)), ...outcomes[id] };
}

function refused(status: number, codes: readonly ErrorCode[], components: Components): JsonSchema {
  return {
    description: codes.map((code) => `\`${code}\`: ${errors[code].meaning}`).join('\n\n'),
    headers: refer([
      ...(status === 401 ? always : rated),
      ...(HEADERS_OF[status] ?? []),
      ...(codes.includes('IDEMPOTENCY_IN_PROGRESS') ? [RETRY_AFTER] : []),
    ]),
    content: {
      'application/json': {
        schema: components.output(errorEnvelope),
        // Their names are the codes that may come.
        examples: Object.fromEntries(codes.map((code) => [code, { value: errorExample(code) }])),
      },
    },
  };
}

function errorExample(code: ErrorCode): unknown {
  const { status, meaning } = errors[code];
  const fields = [{ in: 'body', path: '/name', code: 'required', message: 'name is required' }];
  return {
    error: {
      code,
      message: meaning.replaceAll('`', ''),
      status,
      requestId: idFor('request'),
      ...(code === 'VALIDATION_FAILED' ? { fields } : {}),
    },
  };
}
