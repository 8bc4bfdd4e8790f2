/** Who is calling: the key from the headers, re-read from the store on every request. decisions-api §2, §5. */
import type { Request } from '@hapi/hapi';
import { API_KEY } from '../contract/headers.ts';
import type { Caller } from '../api/call.ts';
import type { Resource } from '../contract/oauth.ts';
import { isAudience } from '../domain/applications.ts';
import { StockroomError } from '../domain/errors.ts';
import { findLiveKey } from '../domain/keys.ts';
import { challenge } from './challenge.ts';
import type { Service } from './service.ts';

const SECRET_PARAMETERS: ReadonlySet<string> = new Set(['api_key', 'apikey', 'access_token', 'token', API_KEY]);

/**
 * The live key and tenant of a request at `resource`; throws 400 for contradictory credentials, 401 for missing or bad ones and for keys
 * that were asked for at another resource. Whether its application may still do anything is for `permit` to say, after the rate window.
 */
export async function authenticate(service: Service, request: Request, resource: Resource = '/v1'): Promise<Caller> {
  const secret = credentialsOf(request);
  if (secret === undefined) {
    throw unauthenticated('Send a key as X-API-Key, or as Authorization: Bearer.', challenge(request, resource));
  }
  const found = await service.store.glance('', (tx) => findLiveKey(tx, secret, service.clock.now()));
  if ('key' in found && isAudience(found.key, resource)) return found;
  const reason = 'key' in found ? 'another audience' : found.refused;
  service.log.debug({ reason, requestId: request.app.requestId }, 'key refused');
  throw unauthenticated('The key is not valid.', challenge(request, resource, { error: 'invalid_token' }));
}

function unauthenticated(message: string, how: string): StockroomError {
  return new StockroomError('UNAUTHENTICATED', message, { headers: { 'www-authenticate': how } });
}

function credentialsOf(request: Request): string | undefined {
  const headers = request.headers as Readonly<Record<string, string | undefined>>;
  for (const name of Object.keys(request.query)) {
    if (SECRET_PARAMETERS.has(name)) {
      throw new StockroomError('AMBIGUOUS_CREDENTIALS', `Keys are not accepted in the query string (${name}); send the header X-API-Key.`);
    }
  }
  const apiKey = headers[API_KEY];
  const bearer = /^Bearer +(\S+) *$/iu.exec(headers['authorization'] ?? '')?.[1];
  if (apiKey !== undefined && headers['authorization'] !== undefined && apiKey !== bearer) {
    throw new StockroomError('AMBIGUOUS_CREDENTIALS', 'X-API-Key and Authorization are both there and differ; send one of them.');
  }
  return apiKey ?? bearer;
}
