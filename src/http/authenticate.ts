/** Who is calling: the key from the headers, re-read from the store on every request. decisions-api §2, §5. */
import type { Request } from '@hapi/hapi';
import { API_KEY } from '../contract/headers.ts';
import type { Caller } from '../api/call.ts';
import { StockroomError } from '../domain/errors.ts';
import { findLiveKey } from '../domain/keys.ts';
import type { Service } from './service.ts';

const REALM = 'Bearer realm="stockroom"';
const SECRET_PARAMETERS = ['api_key', 'apikey', 'access_token', 'token', API_KEY] as const;

/** The live key and tenant of a request; throws 400 for contradictory credentials, 401 for missing or bad ones. */
export async function authenticate(service: Service, request: Request): Promise<Caller> {
  const secret = credentialsOf(request);
  if (secret === undefined) throw unauthenticated('Send a key as X-API-Key, or as Authorization: Bearer.', REALM);
  const found = await service.store.glance('', (tx) => findLiveKey(tx, secret, service.clock.now()));
  if ('key' in found) return found;
  service.log.debug({ reason: found.refused, requestId: request.info.id }, 'key refused');
  throw unauthenticated('The key is not valid.', `${REALM}, error="invalid_token"`);
}

function unauthenticated(message: string, challenge: string): StockroomError {
  return new StockroomError('UNAUTHENTICATED', message, { headers: { 'www-authenticate': challenge } });
}

function credentialsOf(request: Request): string | undefined {
  const headers = request.headers as Readonly<Record<string, string | undefined>>;
  for (const name of SECRET_PARAMETERS) {
    if ((request.query as Record<string, unknown>)[name] !== undefined) {
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
