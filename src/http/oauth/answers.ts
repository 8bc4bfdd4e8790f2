/** Replies of the OAuth endpoints for programs: JSON as RFC 6749 §5 has it, refusals included, never kept by a cache. */
import type { Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import { type OAuthErrorCode, oauthErrors } from '../../contract/oauth.ts';
import { StockroomError } from '../../domain/errors.ts';
import { OAuthError } from '../../domain/oauth-errors.ts';
import { toStockroomError } from '../envelope.ts';
import { JSON_TYPE } from '../reply.ts';
import type { Service } from '../service.ts';

/** A refusal whose status or headers differ from what its code says. */
export class Refusal extends OAuthError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  constructor(
    code: OAuthErrorCode,
    message: string,
    { status = oauthErrors[code], headers = {} }: { status?: number; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(code, message);
    this.status = status;
    this.headers = headers;
  }
}

export const tooMany = (seconds: number): Refusal =>
  new Refusal('temporarily_unavailable', `Too many requests; the next is possible in ${String(seconds)} s.`, {
    status: 429,
    headers: { 'retry-after': String(seconds) },
  });

/** A handler that answers with what `work` resolves to; undefined is an empty 200. */
export function answering(service: Service, work: (request: Request) => Promise<object | undefined>) {
  return async (request: Request, h: ResponseToolkit): Promise<ResponseObject> => {
    try {
      const body = await work(request);
      return uncached(body === undefined ? h.response().code(200) : h.response(JSON.stringify(body)).type(JSON_TYPE));
    } catch (thrown) {
      const refusal = refusalOf(thrown);
      if (refusal.status >= 500) service.log.error({ err: thrown, requestId: request.app.requestId, path: request.path }, refusal.message);
      const body = { error: refusal.code, error_description: refusal.message };
      const reply = uncached(h.response(JSON.stringify(body)).type(JSON_TYPE).code(refusal.status));
      for (const [name, value] of Object.entries(refusal.headers)) reply.header(name, value);
      return reply;
    }
  };
}

const uncached = (reply: ResponseObject): ResponseObject => reply.header('cache-control', 'no-store').header('pragma', 'no-cache');

function refusalOf(thrown: unknown): Refusal {
  if (thrown instanceof Refusal) return thrown;
  if (thrown instanceof OAuthError) return new Refusal(thrown.code, thrown.message);
  const { status, message, headers } = thrown instanceof StockroomError ? thrown : toStockroomError(thrown);
  if (status === 503) return new Refusal('temporarily_unavailable', message, headers ? { headers } : {});
  return new Refusal('server_error', message);
}
