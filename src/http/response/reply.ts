/** Replies: the result of a handler as status, headers and bytes. */
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

export function createHapiResponse(
  h: ResponseToolkit,
  { status, body, location, etag, replayed, noStore }: Reply<string | Uint8Array>,
): ResponseObject {
  // hapi would respond with 304. But the ETag is the version of one record, and a response also contains data of others.
  Reflect.deleteProperty(h.request.headers, 'if-none-match');
  const response = h.response(body === '' ? undefined : typeof body === 'string' ? body : Buffer.from(body)).code(status);
  if (body !== '') response.type(JSON_TYPE);
  if (location) response.header('location', location);
  if (etag !== undefined) response.header('etag', etag);
  if (replayed) response.header(IDEMPOTENT_REPLAYED, 'true');
  if (noStore) response.header('cache-control', 'no-store');
  return response;
}

/** The headers of every response, including errors, as alternating names and values. */
export const listCommonHeaders = ({ app: { requestId, rate } }: Request): readonly string[] =>
  rate
    ? [REQUEST_ID, requestId, 'x-content-type-options', 'nosniff', ...toRateLimitHeaders(rate)]
    : [REQUEST_ID, requestId, 'x-content-type-options', 'nosniff'];
