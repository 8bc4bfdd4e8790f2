/**
 * Writes a reply to the socket itself, past hapi's response object, its passes over it and its header loop, which cost more than
 * everything stockroom does for a read.
 */
import type { Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import { IDEMPOTENT_REPLAYED } from '../contract/headers.ts';
import { JSON_TYPE, type Reply, commonHeaders, send } from './reply.ts';

/** The same bytes as `send`, except where hapi knows more: HEAD, and a stop, when the last reply closes its connection. */
export function write(request: Request, h: ResponseToolkit, reply: Reply<string | Uint8Array>): ResponseObject | symbol {
  if (request.method === 'head' || request.server.info.started === 0) return send(h, reply);
  const { status, body, location, etag, replayed, noStore } = reply;
  const headers: string[] = [];
  const bytes = typeof body === 'string' ? (reply.bytes ?? Buffer.byteLength(body)) : body.length;
  if (body !== '') headers.push('content-type', JSON_TYPE, 'content-length', String(bytes));
  if (location) headers.push('location', location);
  if (etag !== undefined) headers.push('etag', etag);
  if (replayed) headers.push(IDEMPOTENT_REPLAYED, 'true');
  headers.push(...commonHeaders(request), 'cache-control', noStore ? 'no-store' : 'no-cache');
  // As many bytes as characters: plain ASCII, which is the same in Latin-1 and written several times faster so.
  request.raw.res.writeHead(status, headers).end(body, bytes === body.length ? 'latin1' : 'utf8');
  return h.abandon;
}

/**
 * The next turn of the event loop. Replies to reads that wait for it leave together, as those of a group commit do by nature, and wake
 * their clients once rather than one by one: under load that is worth more than half of a read.
 */
export const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });
