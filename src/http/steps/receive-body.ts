/**
 * Receives the body of a request, after its key has been checked. hapi is not used for this: it waits for the end of a body that it has
 * already timed out, so a stalled client never gets its 408, and it cuts the connection when a chunked body becomes too large.
 */
import type { IncomingMessage } from 'node:http';
import type { Request } from '@hapi/hapi';
import { BODY_MAX_BYTES } from '../../contract/limits.ts';
import { afterPendingInput } from '../listener.ts';
import { StockroomError } from '../../domain/kernel/errors.ts';
import type { RequestTimeouts } from '../request-services.ts';

export const REQUEST_BODY_TIMEOUT_MS = 10_000;
/** A client that sends too much reads the response only after it has sent everything, so this much is received and discarded. */
const DISCARD_MAX_BYTES = 16 * BODY_MAX_BYTES;

interface BodyTimeouts {
  readonly timeouts: Pick<RequestTimeouts, 'requestBodyMs'>;
}

/**
 * Replaces the stream in `request.payload` by a Buffer; without a body it stays null or undefined. Throws PAYLOAD_TOO_LARGE or
 * REQUEST_TIMEOUT.
 */
export async function receiveBody({ timeouts }: BodyTimeouts, request: Request, maxBytes = BODY_MAX_BYTES): Promise<void> {
  if (request.payload === undefined || request.payload === null) return;
  const { req } = request.raw;
  const body = req.complete ? readCompleteBody(req, maxBytes) : await collectBytes(req, timeouts.requestBodyMs, maxBytes);
  (request as { payload: unknown }).payload = body;
}

/**
 * Receives and discards the body of a request that is rejected, because some clients read the response only after sending everything. Gives
 * up on a body that is too large or too slow.
 */
export async function drainBody({ timeouts }: BodyTimeouts, { raw: { req } }: Request): Promise<void> {
  const { 'content-length': length, 'transfer-encoding': encoding, expect } = req.headers;
  // A client that sent `Expect: 100-continue` has not sent its body yet.
  if ((length ?? encoding) !== undefined && expect === undefined)
    await collectBytes(req, timeouts.requestBodyMs, BODY_MAX_BYTES).catch(() => undefined);
}

/** Reads a body that has arrived completely, as most small ones have at this point. */
function readCompleteBody(source: IncomingMessage, maxBytes: number): Buffer {
  const body = (source.read() as Buffer | null) ?? Buffer.alloc(0);
  if (body.length > maxBytes) throw createTooLargeError(maxBytes);
  return body;
}

function collectBytes(source: IncomingMessage, timeoutMs: number, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    let isEnded = false;
    const end = (error?: StockroomError): void => {
      isEnded = true;
      clearTimeout(timer);
      source.off('data', add).off('end', finish).off('close', abort);
      if (error) reject(error);
      else resolve(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts));
    };
    const add = (part: Buffer): void => {
      size += part.length;
      if (size <= maxBytes) parts.push(part);
      else if (size > Math.max(maxBytes, DISCARD_MAX_BYTES)) end(createTooLargeError(maxBytes));
      else parts.length = 0;
    };
    const finish = (): void => end(size > maxBytes ? createTooLargeError(maxBytes) : undefined);
    // The client has gone, so no one reads this error; it only ends the request.
    const abort = (): void => end(createTimeoutError(timeoutMs));
    const giveUp = (): void => end(size > maxBytes ? createTooLargeError(maxBytes) : createTimeoutError(timeoutMs));
    const expire = (): void => {
      const sizeBefore = size;
      // A pause of the process: the rest of the body may have arrived meanwhile.
      afterPendingInput(() => {
        if (size === sizeBefore) giveUp();
        else if (!isEnded) timer = setTimeout(giveUp, timeoutMs);
      });
    };
    let timer = setTimeout(expire, timeoutMs);
    source.on('data', add).on('end', finish).on('close', abort);
  });
}

const createTooLargeError = (limit: number): StockroomError =>
  new StockroomError('PAYLOAD_TOO_LARGE', `The body is larger than ${String(limit)} bytes.`, {
    details: { limit },
  });

const createTimeoutError = (timeoutMs: number): StockroomError =>
  new StockroomError('REQUEST_TIMEOUT', `The body did not arrive within ${String(timeoutMs / 1000)} s.`, {
    headers: { connection: 'close' },
  });
