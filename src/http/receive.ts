/**
 * Receives the body of a request, after its key has been checked. Not left to hapi, which waits for the end of a body that it has
 * already given up (a stalled client then never gets its 408) and cuts the connection of one that turns out too large in chunks.
 */
import type { IncomingMessage } from 'node:http';
import type { Request, ResponseToolkit } from '@hapi/hapi';
import { BODY_MAX_BYTES } from '../contract/limits.ts';
import { StockroomError } from '../domain/errors.ts';

declare module '@hapi/hapi' {
  interface RouteOptionsApp {
    /** The handler refuses a body that did not arrive, in a form of its own. */
    ownRefusals?: true;
  }
  interface RequestApplicationState {
    /** Why there is no body, for such a handler. */
    unread?: StockroomError;
  }
}

const BODY_TIMEOUT_MS = 10_000;
/** A client that sends too much reads no answer before it has sent everything; so much is thrown away for its sake. */
const DISCARD_MAX_BYTES = 16 * BODY_MAX_BYTES;

/** From its end on `request.payload` is a Buffer, or nothing when the method has no body. Undefined: that is so already. */
export function receive(request: Request): Promise<void> | undefined {
  if (request.payload === undefined || request.payload === null) return undefined;
  const { req } = request.raw;
  const keep = (body: Buffer): void => void ((request as { payload: unknown }).payload = body);
  if (!req.complete) return bytesOf(req).then(keep);
  keep(arrived(req));
  return undefined;
}

/** For routes whose handler does not call `receive`. */
export const RECEIVING = {
  onPostAuth: {
    method: async (request: Request, h: ResponseToolkit): Promise<symbol> => {
      try {
        await receive(request);
      } catch (error) {
        if (!(error instanceof StockroomError) || !request.route.settings.app?.ownRefusals) throw error;
        request.app.unread = error;
      }
      return h.continue;
    },
  },
} as const;

/** Refuses a request whose body nobody will look at: a client that sends all of it before it reads would not find the answer otherwise. */
export async function refuse(request: Request, refusal: unknown): Promise<never> {
  await discard(request);
  throw refusal;
}

/** Takes in a body, so that its connection can go on; one that is too large or too slow is given up. */
async function discard({ raw: { req } }: Request): Promise<void> {
  const { 'content-length': length, 'transfer-encoding': encoding, expect } = req.headers;
  // Whoever waits for permission does not send.
  if ((length ?? encoding) !== undefined && expect === undefined) await bytesOf(req).catch(() => undefined);
}

/** A body of which nothing is missing any more, as most small ones when their turn comes. */
function arrived(source: IncomingMessage): Buffer {
  const body = (source.read() as Buffer | null) ?? Buffer.alloc(0);
  if (body.length > BODY_MAX_BYTES) throw tooLarge();
  return body;
}

function bytesOf(source: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    const end = (error?: StockroomError): void => {
      clearTimeout(timer);
      source.off('data', take).off('end', finish).off('close', breakOff);
      if (error) reject(error);
      else resolve(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts));
    };
    const take = (part: Buffer): void => {
      size += part.length;
      if (size <= BODY_MAX_BYTES) parts.push(part);
      else if (size > DISCARD_MAX_BYTES) end(tooLarge());
      else parts.length = 0;
    };
    const finish = (): void => end(size > BODY_MAX_BYTES ? tooLarge() : undefined);
    // Nobody is left to read the answer.
    const breakOff = (): void => end(tooSlow());
    const timer = setTimeout(() => end(size > BODY_MAX_BYTES ? tooLarge() : tooSlow()), BODY_TIMEOUT_MS);
    source.on('data', take).on('end', finish).on('close', breakOff);
  });
}

const tooLarge = (): StockroomError =>
  new StockroomError('PAYLOAD_TOO_LARGE', `The body is larger than ${String(BODY_MAX_BYTES)} bytes.`, {
    details: { limit: BODY_MAX_BYTES },
  });

const tooSlow = (): StockroomError =>
  new StockroomError('REQUEST_TIMEOUT', `The body did not arrive within ${String(BODY_TIMEOUT_MS / 1000)} s.`, {
    headers: { connection: 'close' },
  });
