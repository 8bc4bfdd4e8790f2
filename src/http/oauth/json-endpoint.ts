/** JSON replies of the token and revocation endpoints, including errors. RFC 6749 §5: caches must not store them. */
import type { Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import { type OAuthErrorCode, oauthErrors } from '../../contract/oauth.ts';
import { StockroomError } from '../../domain/kernel/errors.ts';
import { OAuthError } from '../../domain/oauth/errors.ts';
import { toStockroomError } from '../response/error-envelope.ts';
import { JSON_TYPE } from '../response/reply.ts';
import type { RequestServices } from '../request-services.ts';
import { logServerError } from '../base-server.ts';

/** An OAuth error with its own status or headers. */
export class OAuthHttpError extends OAuthError {
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

/** An error of the API as an OAuth error. */
export const withOAuthCode = (code: OAuthErrorCode, thrown: unknown): unknown =>
  thrown instanceof StockroomError
    ? new OAuthHttpError(code, thrown.message, { status: thrown.status, headers: thrown.headers ?? {} })
    : thrown;

export const createTooManyRequestsError = (seconds: number): OAuthHttpError =>
  new OAuthHttpError('temporarily_unavailable', `Too many requests. Retry in ${String(seconds)} s.`, {
    status: 429,
    headers: { 'retry-after': String(seconds) },
  });

/** Returns a handler that replies with the result of `getBody`. Undefined is an empty reply. */
export function toJsonHandler(service: RequestServices, getBody: (request: Request) => Promise<object | undefined>, status = 200) {
  return async (request: Request, h: ResponseToolkit): Promise<ResponseObject> => {
    try {
      const body = await getBody(request);
      return disableCaching(body === undefined ? h.response() : h.response(JSON.stringify(body)).type(JSON_TYPE)).code(status);
    } catch (thrown) {
      const error = toOAuthHttpError(thrown);
      if (error.status >= 500) logServerError(service, request, toStockroomError(thrown));
      const body = { error: error.code, error_description: error.message };
      const reply = disableCaching(h.response(JSON.stringify(body)).type(JSON_TYPE).code(error.status));
      for (const [name, value] of Object.entries(error.headers)) reply.header(name, value);
      return reply;
    }
  };
}

const disableCaching = (reply: ResponseObject): ResponseObject => reply.header('cache-control', 'no-store').header('pragma', 'no-cache');

function toOAuthHttpError(thrown: unknown): OAuthHttpError {
  if (thrown instanceof OAuthHttpError) return thrown;
  if (thrown instanceof OAuthError) return new OAuthHttpError(thrown.code, thrown.message);
  const { status, message, headers } = thrown instanceof StockroomError ? thrown : toStockroomError(thrown);
  if (status === 503) return new OAuthHttpError('temporarily_unavailable', message, headers ? { headers } : {});
  return new OAuthHttpError('server_error', message);
}
