/** The body of a request as JSON. decisions-api §2: 415 before 400. */
import Bourne from '@hapi/bourne';
import type { Request } from '@hapi/hapi';
import { StockroomError } from '../domain/errors.ts';

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json *(?:;|$)/iu;

/** The parsed body; an empty one counts as `{}`. */
export function jsonBody(request: Pick<Request, 'payload' | 'headers'>): unknown {
  const payload = request.payload as Buffer | null;
  if (payload === null || payload.length === 0) return {};
  const { 'content-type': type, 'content-encoding': encoding } = request.headers as Readonly<Record<string, string | undefined>>;
  if (type === undefined || !JSON_TYPE.test(type) || (encoding !== undefined && encoding !== 'identity')) {
    throw new StockroomError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as Content-Type: application/json, without a content encoding.', {
      headers: { accept: 'application/json' },
    });
  }
  try {
    return Bourne.parse(payload.toString('utf8'), { protoAction: 'error' }) as unknown;
  } catch (cause) {
    throw new StockroomError('MALFORMED_JSON', `The body is not JSON: ${(cause as Error).message}.`, { cause });
  }
}
