/** Replies: the result of a handler as status, headers and bytes, and how they are written. */
import type { Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import { ApiResponse, JsonBody } from '../../api/handler.ts';
import { IDEMPOTENT_REPLAYED, REQUEST_ID } from '../../contract/headers.ts';
import type { Operation } from '../../contract/operation.ts';
import { toRateLimitHeaders } from '../rate-limiter.ts';

export interface Reply<Body extends string | Uint8Array = string> {
  readonly status: number;
  readonly body: Body;
  /** Length of a string body in UTF-8, if known. */
  readonly bytes?: number | undefined;
  readonly location?: string | null;
  readonly etag?: string;
  readonly replayed?: true;
  /** The body may contain a secret, so no cache may store it. */
  readonly noStore?: true;
}

export const JSON_TYPE = 'application/json; charset=utf-8';

/** `result` is what a handler returns. */
export function toReply(op: Operation, result: unknown): Reply {
  const response: ApiResponse<unknown> =
    result instanceof ApiResponse ? (result as ApiResponse<unknown>) : new ApiResponse<unknown>(result);
  const { body, headers } = response;
  const json = body instanceof JsonBody ? body : new JsonBody(op.result === null ? '' : JSON.stringify(body));
  return { status: op.status, body: json.text, bytes: json.byteLength, ...headers, ...(op.shownOnce ? { noStore: true as const } : {}) };
}

/**
 * Writes a reply without hapi's response object, which would add a fifth to the CPU of a read: docs/adr/0023. Leaves HEAD to hapi, and
 * replies during a shutdown, which close their connection.
 */
export function writeReply(request: Request, reply: Reply<string | Uint8Array>, h: ResponseToolkit): ResponseObject | symbol {
  if (request.method === 'head' || request.server.info.started === 0) return createHapiResponse(h, reply);
  const { status, body } = reply;
  const bytes = typeof body === 'string' ? (reply.bytes ?? Buffer.byteLength(body)) : body.length;
  const headers = [...listHeaders(reply), ...listCommonHeaders(request)];
  if (body !== '') headers.push('content-length', String(bytes));
  // As many bytes as characters means ASCII, which is the same in Latin-1 but several times faster to write.
  request.raw.res.writeHead(status, headers).end(body, bytes === body.length ? 'latin1' : 'utf8');
  return h.abandon;
}

export function createHapiResponse(h: ResponseToolkit, reply: Reply<string | Uint8Array>): ResponseObject {
  // hapi would respond with 304. But the ETag is the version of one record, and a response also contains data of others.
  Reflect.deleteProperty(h.request.headers, 'if-none-match');
  const { status, body } = reply;
  const response = h.response(body === '' ? undefined : typeof body === 'string' ? body : Buffer.from(body)).code(status);
  return addHeaders(response, listHeaders(reply));
}

/** Adds headers that are listed as alternating names and values. */
export function addHeaders(response: ResponseObject, headers: readonly string[]): ResponseObject {
  for (let at = 0; at < headers.length; at += 2) response.header(headers[at]!, headers[at + 1]!);
  return response;
}

function listHeaders({ body, location, etag, replayed, noStore }: Reply<string | Uint8Array>): readonly string[] {
  const headers = ['cache-control', noStore ? 'no-store' : 'no-cache'];
  if (body !== '') headers.push('content-type', JSON_TYPE);
  if (location) headers.push('location', location);
  if (etag !== undefined) headers.push('etag', etag);
  if (replayed) headers.push(IDEMPOTENT_REPLAYED, 'true');
  return headers;
}

/** The headers of every response, including errors, as alternating names and values. */
export const listCommonHeaders = ({ app: { requestId, rate } }: Request): readonly string[] =>
  rate
    ? [REQUEST_ID, requestId, 'x-content-type-options', 'nosniff', ...toRateLimitHeaders(rate)]
    : [REQUEST_ID, requestId, 'x-content-type-options', 'nosniff'];

/**
 * Waits for the next turn of the event loop. Replies that wait are written together and wake their clients once instead of one by one,
 * which saves more than half of the cost of a read under load.
 */
export const waitForNextTurn = (): Promise<undefined> =>
  new Promise((resolve) => {
    setImmediate(resolve as () => void);
  });
