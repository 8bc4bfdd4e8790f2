/** The published client over `fetch`, with the session instead of a key. */
// Also on plain HTTP, where browsers have no `randomUUID`.
import { v4 as createIdempotencyKey } from 'uuid';
import { type Client, type SendOptions, createClient } from '../../client/client.ts';
import { ApiError, Unreachable } from '../../client/errors.ts';
import type { LooseParts, PartsOf } from '../../client/request.ts';
import type { Transport } from '../../client/transport/transport.ts';
import type { Operation, ResultOf } from '../../contract/operation.ts';
import { endSession, getToken } from './session.ts';

const MAX_WAIT_MS = 10_000;
/** The length of a rate window. */
const LONG_WAIT_MS = 60_000;

const transport: Transport = async ({ method, path, headers, body, signal }) => {
  // Operations of the admin API are below the path of the console.
  const url = path.startsWith('/admin/') ? `/console${path}` : path;
  const token = getToken();
  const init = { method, headers: { ...headers, ...(token !== null && { 'x-console-token': token }) }, signal: signal ?? null };
  try {
    const response = await fetch(url, body === undefined ? init : { ...init, body });
    const text = await response.text();
    if (response.status === 401) endSession();
    return { status: response.status, headers: Object.fromEntries(response.headers), text };
  } catch (cause) {
    signal?.throwIfAborted();
    throw new Unreachable(location.origin, 'The service does not answer', { cause, afterSending: method === 'GET' });
  }
};

/** Rejects when it is aborted. */
export const sleep = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });

const createPageClient = (maxWaitMs: number): Client =>
  createClient({ transport, retry: { maxWaitMs, wait: ({ milliseconds }, signal) => sleep(milliseconds, signal) } });

const client = createPageClient(MAX_WAIT_MS);
/** For many requests in a row, which reach the rate limit. */
const patientClient = createPageClient(LONG_WAIT_MS);

/** For code that takes a client. It waits at the rate limit. */
export const sharedClient: Client = {
  ...patientClient,
  send: (request, options) => patientClient.send(request, { idempotencyKey: createIdempotencyKey(), ...options }),
};

/** Performs an operation and returns its body. */
export async function call<const O extends Operation>(op: O, parts: PartsOf<O>, options: SendOptions = {}): Promise<ResultOf<O>> {
  return (await client.call(op, parts, { idempotencyKey: createIdempotencyKey(), ...options })).body;
}

/** The same without static types of the operation, for what is generated from the contract. */
export const callAny = (op: Operation, parts: AnyParts): Promise<unknown> =>
  client.perform(op, parts, { idempotencyKey: createIdempotencyKey() }).then(({ body }) => body as unknown);

export type AnyParts = LooseParts;
export type Query = NonNullable<AnyParts['query']>;

export const describeError = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Whether the view cannot be shown to this session, or on this machine. */
export const isForbidden = (error: unknown): boolean => error instanceof ApiError && [403, 404, 405].includes(error.status);
export const isOffline = (error: unknown): boolean => error instanceof Unreachable || (error instanceof ApiError && error.status >= 502);
export { ApiError } from '../../client/errors.ts';
