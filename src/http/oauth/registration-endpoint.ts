/** `POST /oauth/register`: applications register themselves. RFC 7591 §3. */
import type { Request } from '@hapi/hapi';
import { OAUTH_BODY_MAX_BYTES } from '../../contract/limits.ts';
import { type ClientMetadata, registerClient } from '../../domain/oauth/self-registration.ts';
import type { RequestServices } from '../request-services.ts';
import { parseJsonBody } from '../steps/json-body.ts';
import { receiveBody } from '../steps/receive-body.ts';
import { OAuthHttpError, withOAuthCode } from './json-endpoint.ts';

/** Returns the body of the response: what was registered. */
export async function handleRegistration(service: RequestServices, request: Request): Promise<object> {
  const metadata = await readMetadata(service, request);
  const application = await service.store.transact('', (tx) => registerClient(tx, metadata));
  return {
    client_id: application.clientId,
    client_id_issued_at: Math.floor(Date.parse(application.createdAt) / 1_000),
    client_name: application.name,
    redirect_uris: application.redirectUris,
    grant_types: application.grantTypes,
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    scope: application.allowedScopes.join(' '),
  };
}

async function readMetadata(service: RequestServices, request: Request): Promise<ClientMetadata> {
  let body: unknown;
  try {
    await receiveBody(service, request, OAUTH_BODY_MAX_BYTES);
    body = parseJsonBody(request);
  } catch (error) {
    throw withOAuthCode('invalid_client_metadata', error);
  }
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as ClientMetadata;
  throw new OAuthHttpError('invalid_client_metadata', 'The body must be a JSON object with client metadata.');
}
