/** Parses the body of a request as JSON. A-2: 415 before 400. */
import { isUtf8 } from 'node:buffer';
import Bourne from '@hapi/bourne';
import type { Request } from '@hapi/hapi';
import { BODY_MAX_DEPTH, BODY_MAX_VALUES } from '../../contract/limits.ts';
import { StockroomError, invalidField } from '../../domain/kernel/errors.ts';
import { findExceededLimit } from './json-size.ts';

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json[ \t]*(?:;|$)/iu;
const OTHER_CHARSET = /;[ \t]*charset[ \t]*=[ \t]*"?(?!utf-?8"?[ \t]*(?:;|$))/iu;

/** An empty body is `{}`. Throws a 400 for a body with more than `maxValues` fields and list entries, before parsing it. */
export function parseJsonBody(request: Pick<Request, 'payload' | 'headers'>, maxValues = BODY_MAX_VALUES): unknown {
  const payload = request.payload as Buffer | null;
  if (payload === null || payload.length === 0) return {};
  const { 'content-type': type, 'content-encoding': encoding } = request.headers as Readonly<Record<string, string | undefined>>;
  if (type === undefined || !JSON_TYPE.test(type) || OTHER_CHARSET.test(type) || (encoding !== undefined && encoding !== 'identity')) {
    throw new StockroomError(
      'UNSUPPORTED_MEDIA_TYPE',
      'Send the body as Content-Type: application/json in UTF-8, without a content encoding.',
      {
        headers: { accept: 'application/json' },
      },
    );
  }
  // Decoding replaces invalid bytes by U+FFFD, which would be stored.
  if (!isUtf8(payload)) throw new StockroomError('MALFORMED_JSON', 'The body is not valid UTF-8.');
  checkSize(payload, maxValues);
  return parseJson(payload.toString('utf8'));
}

function checkSize(payload: Buffer, maxValues: number): void {
  switch (findExceededLimit(payload, { values: maxValues, depth: BODY_MAX_DEPTH })) {
    case 'depth':
      // Everything that walks through a body is recursive, and the stack is limited.
      throw invalidField('', `The body has more than ${String(BODY_MAX_DEPTH)} levels of nesting`);
    case 'values':
      throw invalidField('', `The body has more than ${String(maxValues)} fields and list entries, the most for this request`, 'too_big');
    case undefined:
  }
}

function parseJson(text: string): unknown {
  try {
    return Bourne.parse(text, { protoAction: 'error' }) as unknown;
  } catch (cause) {
    throw new StockroomError('MALFORMED_JSON', `The body is not valid JSON: ${(cause as Error).message}.`, { cause });
  }
}
