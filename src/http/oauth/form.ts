/** Form bodies of the OAuth endpoints. RFC 6749 §3.2: parameters in the body, each at most once. */
import type { Request } from '@hapi/hapi';
import { OAUTH_BODY_MAX_BYTES } from '../../contract/limits.ts';
import type { Parameters } from '../../domain/oauth-requests.ts';
import { Refusal } from './answers.ts';

const FORM_TYPE = /^application\/x-www-form-urlencoded *(?:;|$)/iu;

/** The parameters of a body; a parameter that is there twice has two values. */
export function formOf(request: Request): Parameters {
  if (request.url.search !== '') throw new Refusal('invalid_request', 'Send parameters in the body, none in the address.');
  const { unread } = request.app;
  if (unread) throw new Refusal('invalid_request', unread.message, { status: unread.status, headers: unread.headers ?? {} });
  const payload = request.payload as Buffer | null;
  const type = request.headers['content-type'] as string | undefined;
  if (type === undefined || !FORM_TYPE.test(type)) {
    throw new Refusal('invalid_request', 'Send the parameters as Content-Type: application/x-www-form-urlencoded.');
  }
  if (payload !== null && payload.length > OAUTH_BODY_MAX_BYTES) {
    throw new Refusal('invalid_request', `The body is larger than ${String(OAUTH_BODY_MAX_BYTES)} bytes.`, { status: 413 });
  }
  return parametersOf(new URLSearchParams(payload?.toString('utf8') ?? ''));
}

export function parametersOf(search: URLSearchParams): Parameters {
  const parameters = new Map<string, string[]>();
  for (const [name, value] of search) {
    const values = parameters.get(name);
    if (values) values.push(value);
    else parameters.set(name, [value]);
  }
  return parameters;
}
