/** Parses the body of a request as JSON. A-2: 415 before 400. */
import { isUtf8 } from 'node:buffer';
import Bourne from '@hapi/bourne';
import type { Request } from '@hapi/hapi';
import { BODY_MAX_DEPTH } from '../../contract/limits.ts';
import { StockroomError, invalidField } from '../../domain/kernel/errors.ts';
import type { OperationCall } from './operation-step.ts';

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json[ \t]*(?:;|$)/iu;

export function parseBody(call: OperationCall): undefined {
  call.body = parseJsonBody(call.request);
}

/** An empty body is `{}`. */
export function parseJsonBody(request: Pick<Request, 'payload' | 'headers'>): unknown {
  const payload = request.payload as Buffer | null;
  if (payload === null || payload.length === 0) return {};
  const { 'content-type': type, 'content-encoding': encoding } = request.headers as Readonly<Record<string, string | undefined>>;
  if (type === undefined || !JSON_TYPE.test(type) || (encoding !== undefined && encoding !== 'identity')) {
    throw new StockroomError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as Content-Type: application/json, without a content encoding.', {
      headers: { accept: 'application/json' },
    });
  }
  // Decoding replaces invalid bytes by U+FFFD, which would be stored.
  if (!isUtf8(payload)) throw new StockroomError('MALFORMED_JSON', 'The body is not valid UTF-8.');
  const body = parseJson(payload.toString('utf8'));
  // Everything that walks through a body is recursive, and the stack is limited. A level takes at least two characters.
  if (payload.length > 2 * BODY_MAX_DEPTH && isDeeper(body, BODY_MAX_DEPTH)) {
    throw invalidField('', `The body has more than ${String(BODY_MAX_DEPTH)} levels of nesting`);
  }
  return body;
}

function parseJson(text: string): unknown {
  try {
    return Bourne.parse(text, { protoAction: 'error' }) as unknown;
  } catch (cause) {
    throw new StockroomError('MALFORMED_JSON', `The body is not valid JSON: ${(cause as Error).message}.`, { cause });
  }
}

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' && value !== null && (levels === 0 || Object.values(value).some((part) => isDeeper(part, levels - 1)));
