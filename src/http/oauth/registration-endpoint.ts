/** `POST /oauth/register`: applications register themselves. RFC 7591 §3. */
import type { Request } from '@hapi/hapi';
import { OAUTH_BODY_MAX_BYTES } from '../../contract/limits.ts';
import { StockroomError } from '../../domain/kernel/errors.ts';
import { type ClientMetadata, registerClient } from '../../domain/oauth/self-registration.ts';
import type { RequestServices } from '../request-services.ts';
import { parseJsonBody } from '../steps/json-body.ts';
import { receiveBody } from '../steps/receive-body.ts';
import { OAuthHttpError } from './json-endpoint.ts';

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
  try {
    await receiveBody(service, request);
    const payload = request.payload as Buffer | null;
    if (payload !== null && payload.length > OAUTH_BODY_MAX_BYTES)
      throw new OAuthHttpError('invalid_client_metadata', `The body is larger than ${String(OAUTH_BODY_MAX_BYTES)} bytes.`, {
        status: 413,
      });
    const body = parseJsonBody(request);
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as ClientMetadata;
  } catch (error) {
    if (!(error instanceof StockroomError)) throw error;
    throw new OAuthHttpError('invalid_client_metadata', error.message, { status: error.status, headers: error.headers ?? {} });
  }
  throw new OAuthHttpError('invalid_client_metadata', 'The body must be a JSON object with client metadata.');
}
