/** The typed client of /v1 and of the local admin API. Error responses are thrown as ApiError. */
import { API_KEY, IDEMPOTENCY_KEY } from '../contract/headers.ts';
import { RESPONSE_MAX_DEPTH } from '../contract/limits.ts';
import type { Operation, ResultOf } from '../contract/operation.ts';
import type { AnySchema } from '../contract/schema/builder.ts';
import { UnexpectedResponse, createMalformedResponse, toApiError } from './errors.ts';
import { findMalformedPart, isNestedDeeper } from './transport/response-check.ts';
import { type ApiRequest, type LooseParts, type PartsOf, toRequest } from './request.ts';
import { NO_RETRY, type RetryPolicy, withRetries } from './transport/retry.ts';
import type { HttpReply, Transport } from './transport/transport.ts';

export interface Reply<T = unknown> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The body as received. */
  readonly text: string;
  /** The parsed body; undefined if there is none. */
  readonly body: T;
}

/** One request with its response. */
export interface Trace {
  readonly method: string;
  readonly path: string;
  /** Null if there was no response. */
  readonly status: number | null;
  readonly milliseconds: number;
  readonly idempotencyKey: string | null;
}

export interface ClientOptions {
  readonly transport: Transport;
  readonly key?: string | undefined;
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: none. */
  readonly retry?: RetryPolicy;
  readonly onTrace?: (trace: Trace) => void;
}

export interface SendOptions {
  /** Instead of a new one. Repeating a request with the same key returns the first response. */
  readonly idempotencyKey?: string | undefined;
  /** How long to wait for a response that takes longer than others. Only for the transport of the command line. */
  readonly timeoutMs?: number | undefined;
  /** Aborts the request and its retries. */
  readonly signal?: AbortSignal | undefined;
}

export interface Client {
  /** Performs an operation with parts and result that are typed by the contract. */
  call<const O extends Operation>(op: O, parts: PartsOf<O>, options?: SendOptions): Promise<Reply<ResultOf<O>>>;
  /** Performs an operation with parts that only the service validates. */
  perform<const O extends Operation>(op: O, parts?: LooseParts, options?: SendOptions): Promise<Reply<ResultOf<O>>>;
  /** Sends any request. POST and PATCH get a new idempotency key unless one is given; retries repeat it. */
  send(request: ApiRequest, options?: SendOptions): Promise<Reply>;
}

const isWrite = (method: string): boolean => method === 'POST' || method === 'PATCH';

export function createClient({ transport, key, headers = {}, retry = NO_RETRY, onTrace }: ClientOptions): Client {
  const commonHeaders = { accept: 'application/json', ...(key === undefined ? {} : { [API_KEY]: key }), ...lowerCaseKeys(headers) };

  const send: Client['send'] = (request, options = {}) => {
    const { path, body } = request;
    const method = request.method.toUpperCase();
    const { signal, timeoutMs } = options;
    const givenHeaders = lowerCaseKeys(request.headers);
    const idempotencyKey =
      givenHeaders[IDEMPOTENCY_KEY] ?? options.idempotencyKey ?? (isWrite(method) ? createIdempotencyKey() : undefined);
    const allHeaders = {
      ...commonHeaders,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { [IDEMPOTENCY_KEY]: idempotencyKey }),
      ...givenHeaders,
    };
    const attempt = async (): Promise<Reply> => {
      const started = performance.now();
      let reply: HttpReply | undefined;
      try {
        reply = await transport({ method, path, headers: allHeaders, body, signal, timeoutMs });
      } finally {
        const milliseconds = performance.now() - started;
        onTrace?.({ method, path, status: reply?.status ?? null, milliseconds, idempotencyKey: idempotencyKey ?? null });
      }
      if (reply.status < 200 || reply.status > 299) throw toApiError(reply.status, reply.text, reply.headers);
      return { ...reply, body: parseBody(reply, request) };
    };
    // A rejected DELETE did nothing. After a lost connection it may have succeeded, and a retry would return 404.
    return withRetries(attempt, method === 'GET' || method === 'PUT' || isWrite(method) ? 'always' : 'refused', retry, signal);
  };
  const perform: Client['perform'] = async (op, parts, options) => {
    const request = toRequest(op, parts);
    const reply = await send(request, options);
    assertResponseShape(op, request, reply);
    // Contract tests validate the responses of the service against the schemas.
    return reply as Reply<ResultOf<typeof op>>;
  };
  return {
    send,
    perform,
    // Typed parts are a subset of loose parts.
    call: (op, parts, options) => perform(op, parts as unknown as LooseParts, options),
  };
}

/** Header names are case-insensitive; two spellings of the same header would be combined. */
const lowerCaseKeys = (headers: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** Another program may respond at the URL, such as a proxy with a login page. */
const createUnexpectedResponse = (
  { status }: Pick<HttpReply, 'status'>,
  { method, path }: ApiRequest,
  cause?: unknown,
): UnexpectedResponse =>
  new UnexpectedResponse(path, `The response ${String(status)} to ${method} ${path} is not from a stockroom service`, { cause });

function parseBody(reply: HttpReply, request: ApiRequest): unknown {
  if (reply.text === '') return undefined;
  if (isNestedDeeper(reply.text, RESPONSE_MAX_DEPTH))
    throw createMalformedResponse(request.path, `it has more than ${String(RESPONSE_MAX_DEPTH)} levels of nesting`, request.method);
  try {
    return JSON.parse(reply.text) as unknown;
  } catch (error) {
    throw createUnexpectedResponse(reply, request, error);
  }
}

/** Throws UnexpectedResponse if the body lacks properties that every response of the operation has, or has values of another kind. */
export function assertResponseShape(op: Pick<Operation, 'result'>, request: ApiRequest, reply: Reply): void {
  if (!hasResponseShape(op.result, reply.body)) throw createUnexpectedResponse(reply, request);
  const malformed = op.result === null ? undefined : findMalformedPart(op.result, reply.body);
  if (malformed !== undefined) throw createMalformedResponse(request.path, malformed, request.method);
}

/** Checks the top-level properties only. */
function hasResponseShape(result: AnySchema | null, body: unknown): boolean {
  if (result?.kind !== 'object') return true;
  if (typeof body !== 'object' || body === null) return false;
  const parts = body as Readonly<Record<string, unknown>>;
  return Object.entries(result.properties).every(([name, { kind, optional, nullable }]) => {
    const part = parts[name];
    if (optional || nullable) return true;
    return kind === 'array' ? Array.isArray(part) : kind !== 'object' || (typeof part === 'object' && part !== null);
  });
}

const createIdempotencyKey = (): string => process.getBuiltinModule('node:crypto').randomUUID();
