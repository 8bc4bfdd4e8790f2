/** Replies: the result of a handler as status, headers and JSON, and as a response of hapi. */
import type { ResponseObject, ResponseToolkit } from '@hapi/hapi';
import { ApiResponse } from '../../api/handler.ts';
import { IDEMPOTENT_REPLAYED } from '../../contract/headers.ts';
import { stripExtensions } from '../../contract/strict.ts';
import type { Operation } from '../../contract/operation.ts';

export interface Reply {
  readonly status: number;
  /** JSON; empty if there is none. */
  readonly body: string;
  readonly location?: string | null;
  readonly etag?: string | null | undefined;
  readonly replayed?: true;
  /** The body may contain a secret, so no cache may store it. */
  readonly noStore?: boolean;
}

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Serializes what a handler returns. */
export function toReply(op: Operation, result: unknown): Reply {
  const response: ApiResponse<unknown> =
    result instanceof ApiResponse ? (result as ApiResponse<unknown>) : new ApiResponse<unknown>(result);
  const { body, headers } = response;
  const json = op.result === null ? '' : JSON.stringify(op.extended ? stripExtensions(op.extended.result ?? op.result, body) : body);
  const status = headers.location === undefined ? op.status : (op.createdStatus ?? op.status);
  return { status, body: json, ...headers, noStore: op.shownOnce !== undefined };
}

export function createResponse(h: ResponseToolkit, { status, body, location, etag, replayed, noStore }: Reply): ResponseObject {
  // hapi would respond with 304. But the ETag is the version of one record, and a response also contains data of others.
  if ('if-none-match' in h.request.headers) Reflect.deleteProperty(h.request.headers, 'if-none-match');
  const response = h.response(body === '' ? undefined : body).code(status);
  response.header('cache-control', noStore ? 'no-store' : 'no-cache');
  if (body !== '') response.type(JSON_TYPE);
  if (location) response.header('location', location);
  if (etag) response.header('etag', etag);
  if (replayed) response.header(IDEMPOTENT_REPLAYED, 'true');
  return response;
}
