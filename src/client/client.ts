/** The typed client of /v1 and of the local settings plane: a request in, the typed body out, refusals thrown as ApiError. */
import { API_KEY, IDEMPOTENCY_KEY } from '../contract/headers.ts';
import type { Operation, ResultOf } from '../contract/operation.ts';
import type { AnySchema } from '../contract/schema.ts';
import { Foreign, apiErrorOf } from './errors.ts';
import { type ApiRequest, type LooseParts, type PartsOf, requestOf } from './request.ts';
import { type RetryPolicy, withRetries } from './retry.ts';
import type { HttpReply, Transport } from './transport.ts';

export interface Reply<T = unknown> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Exactly what came. */
  readonly text: string;
  /** Parsed; undefined when there was no body. */
  readonly body: T;
}

/** One exchange, for `--verbose`. */
export interface Trace {
  readonly method: string;
  readonly path: string;
  /** Null: no answer came. */
  readonly status: number | null;
  readonly milliseconds: number;
  readonly idempotencyKey: string | null;
}

export interface ClientOptions {
  readonly transport: Transport;
  readonly key?: string | undefined;
  /** Headers of every request, such as the tenant of the settings plane. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly retry: RetryPolicy;
  readonly onTrace?: (trace: Trace) => void;
}

export interface SendOptions {
  /** Instead of a fresh one: the same key and request again answer what the first did. */
  readonly idempotencyKey?: string | undefined;
  /** Gives up the request and every wait for another try. */
  readonly signal?: AbortSignal | undefined;
}

export interface Client {
  /** Performs an operation; parts and result are typed by the contract. */
  call<const O extends Operation>(op: O, parts: PartsOf<O>, options?: SendOptions): Promise<Reply<ResultOf<O>>>;
  /** Performs an operation with parts that the service will check. */
  perform<const O extends Operation>(op: O, parts?: LooseParts, options?: SendOptions): Promise<Reply<ResultOf<O>>>;
  /** Sends any request. POST and PATCH get a fresh idempotency key unless one is given; every retry repeats it. */
  send(request: ApiRequest, options?: SendOptions): Promise<Reply>;
}

const isWrite = (method: string): boolean => method === 'POST' || method === 'PATCH';

export function createClient({ transport, key, headers = {}, retry, onTrace }: ClientOptions): Client {
  const common = { accept: 'application/json', ...(key === undefined ? {} : { [API_KEY]: key }), ...inLowerCase(headers) };

  const send: Client['send'] = (request, options = {}) => {
    const { path, body } = request;
    const method = request.method.toUpperCase();
    const { signal } = options;
    const given = inLowerCase(request.headers);
    const idempotencyKey = given[IDEMPOTENCY_KEY] ?? options.idempotencyKey ?? (isWrite(method) ? newKey() : undefined);
    const all = {
      ...common,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { [IDEMPOTENCY_KEY]: idempotencyKey }),
      ...given,
    };
    const attempt = async (): Promise<Reply> => {
      const started = performance.now();
      let reply: HttpReply | undefined;
      try {
        reply = await transport({ method, path, headers: all, ...(body === undefined ? {} : { body }), ...(signal && { signal }) });
      } finally {
        const milliseconds = performance.now() - started;
        onTrace?.({ method, path, status: reply?.status ?? null, milliseconds, idempotencyKey: idempotencyKey ?? null });
      }
      if (reply.status < 200 || reply.status > 299) throw apiErrorOf(reply.status, reply.text, reply.headers);
      return { ...reply, body: bodyOf(reply, request) };
    };
    // A DELETE that was refused for now did nothing; one whose connection broke may have deleted, and a second would answer 404.
    return withRetries(attempt, method === 'GET' || isWrite(method) ? 'always' : 'refused', retry, signal);
  };
  const perform: Client['perform'] = async (op, parts, options) => {
    const request = requestOf(op, parts);
    const reply = await send(request, options);
    refuseForeign(op, request, reply);
    // The service keeps the contract; contract tests compare its replies with the schemas.
    return reply as Reply<ResultOf<typeof op>>;
  };
  return {
    send,
    perform,
    // The typed parts are loose parts with names.
    call: (op, parts, options) => perform(op, parts as unknown as LooseParts, options),
  };
}

/** Header names are the same in either case: sent twice, a header would be joined to one that nobody meant. */
const inLowerCase = (headers: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** Another program may sit at the address, such as a proxy that asks for a login first. */
const foreign = ({ status }: Pick<HttpReply, 'status'>, { method, path }: ApiRequest, cause?: unknown): Foreign =>
  new Foreign(path, `what answered ${String(status)} to ${method} ${path} is no stockroom service`, { cause });

function bodyOf(reply: HttpReply, request: ApiRequest): unknown {
  if (reply.text === '') return undefined;
  try {
    return JSON.parse(reply.text) as unknown;
  } catch (error) {
    throw foreign(reply, request, error);
  }
}

/** Throws when an answer has not the parts that every answer of the operation has. */
export function refuseForeign(op: Pick<Operation, 'result'>, request: ApiRequest, reply: Reply): void {
  if (!isAnswer(op.result, reply.body)) throw foreign(reply, request);
}

/** What stands in the parts is the service's affair. */
function isAnswer(result: AnySchema | null, body: unknown): boolean {
  if (result?.kind !== 'object') return true;
  if (typeof body !== 'object' || body === null) return false;
  const parts = body as Readonly<Record<string, unknown>>;
  return Object.entries(result.properties).every(([name, { kind, optional, nullable }]) => {
    const part = parts[name];
    if (optional || nullable) return true;
    return kind === 'array' ? Array.isArray(part) : kind !== 'object' || (typeof part === 'object' && part !== null);
  });
}

const newKey = (): string => process.getBuiltinModule('node:crypto').randomUUID();
