/** Authenticates requests by their API key, which is read from the store for every request.. */
import type { Request } from '@hapi/hapi';
import type { Caller } from '../../api/handler.ts';
import { API_KEY } from '../../contract/headers.ts';
import type { Resource } from '../../contract/oauth.ts';
import { canUseResource, findConsoleSession, findLiveKey } from '../../domain/oauth/key-access.ts';
import { StockroomError } from '../../domain/kernel/errors.ts';
import { buildChallenge } from '../auth-challenge.ts';
import type { RequestServices } from '../request-services.ts';
import { readConsoleSecret } from './console-session.ts';
import { countByAddress } from './limit-address.ts';

const SECRET_PARAMETERS: ReadonlySet<string> = new Set(['api_key', 'apikey', 'access_token', 'token', API_KEY]);

/**
 * Returns key and tenant of a request to `resource`, and sets `app.caller` to them. Throws 400 for contradictory credentials, 401 for missing or invalid ones
 * and for keys that were issued for another resource. A disabled application is rejected later, by `authorize`, after the request has
 * been counted.
 */
export async function authenticate(request: Request, service: RequestServices, resource: Resource = '/v1'): Promise<Caller> {
  const secret = readSecret(request);
  if (secret === undefined && resource === '/v1' && readConsoleSecret(request) !== undefined) return authenticateConsole(request, service);
  if (secret === undefined) {
    countByAddress(request, service);
    throw createUnauthenticatedError(
      'Missing API key. Send it as X-API-Key or as Authorization: Bearer.',
      buildChallenge(request, resource),
    );
  }
  const found = await service.store.readLatest('', (tx) => findLiveKey(tx, secret, service.clock));
  if ('key' in found && canUseResource(found.key, resource)) {
    request.app.caller = found;
    return found;
  }
  countByAddress(request, service);
  if ('ended' in found) request.app.endedKey = found.ended;
  const reason = 'key' in found ? 'another audience' : found.refused;
  service.log.debug({ reason, requestId: request.app.requestId }, 'key rejected');
  throw createUnauthenticatedError('Invalid API key.', buildChallenge(request, resource, { error: 'invalid_token' }));
}

/** The same for the session of the console, which is all that its own endpoints accept. */
export async function authenticateConsole(request: Request, service: RequestServices): Promise<Caller> {
  const secret = readConsoleSecret(request);
  const found =
    secret === undefined ? undefined : await service.store.readLatest('', (tx) => findConsoleSession(tx, secret, service.clock));
  if (found && 'key' in found) {
    request.app.caller = found;
    return found;
  }
  countByAddress(request, service);
  throw createUnauthenticatedError('The session of the console has ended.', buildChallenge(request, '/v1'));
}

function createUnauthenticatedError(message: string, challenge: string): StockroomError {
  return new StockroomError('UNAUTHENTICATED', message, { headers: { 'www-authenticate': challenge } });
}

function readSecret(request: Request): string | undefined {
  const headers = request.headers as Readonly<Record<string, string | undefined>>;
  for (const name of Object.keys(request.query)) {
    if (SECRET_PARAMETERS.has(name)) {
      throw new StockroomError(
        'AMBIGUOUS_CREDENTIALS',
        `API keys are not accepted in the query string (${name}). Send the header X-API-Key.`,
      );
    }
  }
  const apiKey = headers[API_KEY];
  const bearer = /^Bearer +(\S+)$/iu.exec(headers['authorization'] ?? '')?.[1];
  if (apiKey !== undefined && headers['authorization'] !== undefined && apiKey !== bearer) {
    throw new StockroomError('AMBIGUOUS_CREDENTIALS', 'X-API-Key and Authorization have different values. Send one of them.');
  }
  return apiKey ?? bearer;
}
