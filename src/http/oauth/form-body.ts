/** Form bodies of OAuth requests. RFC 6749 §3.2: parameters are in the body, each at most once. */
import type { Request } from '@hapi/hapi';
import { OAUTH_BODY_MAX_BYTES } from '../../contract/limits.ts';
import type { RequestParameters } from '../../domain/oauth/authorization-requests.ts';
import type { RequestServices } from '../request-services.ts';
import { receiveBody } from '../steps/receive-body.ts';
import { OAuthHttpError, withOAuthCode } from './json-endpoint.ts';

const FORM_TYPE = /^application\/x-www-form-urlencoded *(?:;|$)/iu;

/** Receives the body and returns its parameters with all values of repeated parameters. */
export async function readFormBody(service: RequestServices, request: Request): Promise<RequestParameters> {
  try {
    await receiveBody(service, request, OAUTH_BODY_MAX_BYTES);
  } catch (error) {
    throw withOAuthCode('invalid_request', error);
  }
  if (request.url.search !== '') throw new OAuthHttpError('invalid_request', 'Send all parameters in the body, none in the query string.');
  const payload = request.payload as Buffer | null;
  const type = request.headers['content-type'] as string | undefined;
  if (type === undefined || !FORM_TYPE.test(type)) {
    throw new OAuthHttpError('invalid_request', 'Send the parameters as Content-Type: application/x-www-form-urlencoded.');
  }
  return toParameters(new URLSearchParams(payload?.toString('utf8') ?? ''));
}

export function toParameters(search: URLSearchParams): RequestParameters {
  const parameters = new Map<string, string[]>();
  for (const [name, value] of search) {
    const values = parameters.get(name);
    if (values) values.push(value);
    else parameters.set(name, [value]);
  }
  return parameters;
}
