/** Step 8 of `server.ts`: query, body and path of a request against its operation. */
import type { Request } from '@hapi/hapi';
import type { Operation } from '../contract/operation.ts';
import { StockroomError } from '../domain/errors.ts';
import { type Check, checkOf, validate } from './validate.ts';

export interface Checks {
  readonly query: Check;
  readonly body: Check | undefined;
  readonly params: Check | undefined;
}

export const checksOf = (op: Operation): Checks => ({
  query: checkOf('query', op.query ?? { kind: 'object', properties: {} }),
  body: op.body ? checkOf('body', op.body) : undefined,
  params: op.params ? checkOf('path', op.params) : undefined,
});

export interface Parts {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** The validated parts, or a 400. A malformed id in the path is an absent resource, found out after the rest. */
export function checkedParts(checks: Checks, request: Pick<Request, 'path' | 'params' | 'query'>, body: unknown): Parts {
  const query = validate(checks.query, request.query);
  const checked = checks.body ? validate(checks.body, body) : undefined;
  if (!checks.params) return { params: undefined, query, body: checked };
  try {
    return { params: validate(checks.params, request.params), query, body: checked };
  } catch (cause) {
    throw new StockroomError('NOT_FOUND', `There is nothing at ${request.path}.`, { cause });
  }
}
