/** From a handler's answer to the bytes of the reply. */
import type { Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import { Answer, JsonText } from '../api/call.ts';
import { IDEMPOTENT_REPLAYED, REQUEST_ID } from '../contract/headers.ts';
import type { Operation } from '../contract/operation.ts';
import { rateHeaders } from './rate-limit.ts';

export interface Reply<Body extends string | Uint8Array = string> {
  readonly status: number;
  readonly body: Body;
  /** Of a text in UTF-8, when that is known without looking. */
  readonly bytes?: number | undefined;
  readonly location?: string | null;
  readonly etag?: string;
  readonly replayed?: true;
  /** It may show a secret, so no cache may keep it. */
  readonly noStore?: true;
}

export const JSON_TYPE = 'application/json; charset=utf-8';

export function replyOf(op: Operation, result: unknown): Reply {
  const answer: Answer<unknown> = result instanceof Answer ? (result as Answer<unknown>) : new Answer<unknown>(result);
  const { body, headers } = answer;
  const json = body instanceof JsonText ? body : new JsonText(op.result === null ? '' : JSON.stringify(body));
  return { status: op.status, body: json.text, bytes: json.bytes, ...headers, ...(op.shownOnce ? { noStore: true as const } : {}) };
}

export function send(h: ResponseToolkit, { status, body, location, etag, replayed, noStore }: Reply<string | Uint8Array>): ResponseObject {
  // hapi would answer 304, but the version of a record is no validator of an answer in which the names of others stand.
  Reflect.deleteProperty(h.request.headers, 'if-none-match');
  const response = h.response(body === '' ? undefined : typeof body === 'string' ? body : Buffer.from(body)).code(status);
  if (body !== '') response.type(JSON_TYPE);
  if (location) response.header('location', location);
  if (etag !== undefined) response.header('etag', etag);
  if (replayed) response.header(IDEMPOTENT_REPLAYED, 'true');
  if (noStore) response.header('cache-control', 'no-store');
  return response;
}

/** What every reply carries, refusals included: names and values in turn. */
export const commonHeaders = ({ app: { requestId, rate } }: Request): readonly string[] =>
  rate ? [REQUEST_ID, requestId, ...rateHeaders(rate)] : [REQUEST_ID, requestId];
