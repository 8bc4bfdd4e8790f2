/** The body of a request as JSON. decisions-api §2: 415 before 400. */
import { isUtf8 } from 'node:buffer';
import Bourne from '@hapi/bourne';
import type { Request } from '@hapi/hapi';
import { BODY_MAX_DEPTH } from '../contract/limits.ts';
import { StockroomError, invalidField } from '../domain/errors.ts';

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json[ \t]*(?:;|$)/iu;

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
  // Decoding would put question marks for what it cannot read, and those would be stored.
  if (!isUtf8(payload)) throw new StockroomError('MALFORMED_JSON', 'The body is not UTF-8, which JSON is always sent in.');
  const body = parsed(payload.toString('utf8'));
  // Whatever walks through a body does so by recursion, and the stack has an end. Each level is two characters at least.
  if (payload.length > 2 * BODY_MAX_DEPTH && isDeeper(body, BODY_MAX_DEPTH)) {
    throw invalidField('', `The body is nested in more than ${String(BODY_MAX_DEPTH)} levels`);
  }
  return body;
}

function parsed(text: string): unknown {
  try {
    return Bourne.parse(text, { protoAction: 'error' }) as unknown;
  } catch (cause) {
    throw new StockroomError('MALFORMED_JSON', `The body is not JSON: ${(cause as Error).message}.`, { cause });
  }
}

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' && value !== null && (levels === 0 || Object.values(value).some((part) => isDeeper(part, levels - 1)));
