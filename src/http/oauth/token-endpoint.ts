/** `POST /oauth/token` and `POST /oauth/revoke`. RFC 6749 §4.1.3, §4.4, RFC 7009. */
import type { Request } from '@hapi/hapi';
import { GRANT_TYPES, type Resource } from '../../contract/oauth.ts';
import type { ApplicationRecord } from '../../domain/oauth/records.ts';
import type { Context } from '../../domain/kernel/context.ts';
import { revokeToken } from '../../domain/oauth/issued-keys.ts';
import { findKey } from '../../domain/tenancy/api-keys.ts';
import type { ApiKeyRecord } from '../../domain/tenancy/records.ts';
import { selectInstallation, issueClientCredentialsKey } from '../../domain/oauth/clients.ts';
import { findCode, exchangeCode } from '../../domain/oauth/authorization-codes.ts';
import { OAuthError } from '../../domain/oauth/errors.ts';
import { type RequestParameters, parseAudience, getSingleValue } from '../../domain/oauth/authorization-requests.ts';
import type { Tx } from '../../domain/tables.ts';
import { getBaseUrl } from '../base-url.ts';
import { createOrigin } from '../change-origin.ts';
import type { RequestServices } from '../request-services.ts';
import { authenticateClientRequest } from './client-authentication.ts';
import { readFormBody } from './form-body.ts';

type IssuedKey = { readonly key: ApiKeyRecord; readonly secret: string };

/** A request of a client that has been authenticated. */
interface ClientRequest {
  readonly service: RequestServices;
  readonly request: Request;
  readonly form: RequestParameters;
  readonly application: ApplicationRecord;
}

async function receiveClientRequest(service: RequestServices, request: Request): Promise<ClientRequest> {
  const form = await readFormBody(service, request);
  return { service, request, form, application: await authenticateClientRequest(service, request, form) };
}

/** Returns the body of a token response. */
export async function handleTokenRequest(service: RequestServices, request: Request): Promise<object> {
  const client = await receiveClientRequest(service, request);
  const { form } = client;
  const grant = getSingleValue(form, 'grant_type');
  if (grant === undefined) throw new OAuthError('invalid_request', `grant_type is required: ${GRANT_TYPES.join(' or ')}.`);
  if (grant !== 'authorization_code' && grant !== 'client_credentials') {
    throw new OAuthError('unsupported_grant_type', `grant_type must be ${GRANT_TYPES.join(' or ')}.`);
  }
  const audience = parseAudience(form.get('resource') ?? [], getBaseUrl(request));
  const exchange = grant === 'authorization_code' ? exchangeAuthorizationCode : exchangeClientCredentials;
  const { key, secret } = await exchange(client, audience);
  const seconds = (Date.parse(String(key.expiresAt)) - Date.parse(key.createdAt)) / 1_000;
  return { access_token: secret, token_type: 'Bearer', expires_in: seconds, scope: key.scopes.join(' ') };
}

async function exchangeAuthorizationCode(client: ClientRequest, audience: readonly Resource[]): Promise<IssuedKey> {
  const { service, form, application } = client;
  if (!application.grantTypes.includes('authorization_code')) {
    throw new OAuthError('unauthorized_client', 'The application is not registered for the authorization code flow.');
  }
  const [code, redirectUri, verifier] = ['code', 'redirect_uri', 'code_verifier'].map((name) => getRequiredValue(form, name)) as [
    string,
    string,
    string,
  ];
  const found = await service.store.readLatest('', (tx) => findCode(tx, code));
  const result = await transactAsApplication(client, found?.tenantId ?? '', (tx, context, currentApplication) =>
    exchangeCode(tx, context, { application: currentApplication, code, redirectUri, verifier, audience }),
  );
  if (result instanceof OAuthError) throw result;
  return result;
}

async function exchangeClientCredentials(client: ClientRequest, audience: readonly Resource[]): Promise<IssuedKey> {
  const { service, form, application } = client;
  const tenant = getSingleValue(form, 'tenant_id');
  const scope = getSingleValue(form, 'scope');
  const { tenantId } = await service.store.readLatest('', (tx) => selectInstallation(tx, application, tenant));
  return transactAsApplication(client, tenantId, (tx, context, currentApplication) =>
    issueClientCredentialsKey(tx, context, currentApplication, { tenant, scope, audience }),
  );
}

/** Revokes a key of the client. An unknown or foreign token is no error. */
export async function handleRevocation(service: RequestServices, request: Request): Promise<undefined> {
  const client = await receiveClientRequest(service, request);
  const secret = getRequiredValue(client.form, 'token');
  const key = await service.store.readLatest('', (tx) => findKey(tx, secret));
  if (key?.applicationId !== client.application.id) return;
  await transactAsApplication(client, key.tenantId, async (tx, context) => {
    const current = await tx.apiKeys.get(key.id);
    if (current) await revokeToken(tx, context, current, 'revoked by its application');
  });
}

/** Runs a transaction as the application. Reads it again, because it may have been suspended since the client was authenticated. */
function transactAsApplication<T>(
  { service, request, application }: ClientRequest,
  tenantId: string,
  work: (tx: Tx, context: Context, application: ApplicationRecord) => Promise<T>,
): Promise<T> {
  return service.store.transact(tenantId, async (tx) => {
    const tenant = await tx.tenants.get(tenantId);
    const current = await tx.applications.get(application.id);
    if (!tenant || !current) throw new OAuthError('invalid_grant', 'Unknown code, or its organization no longer exists.');
    const context = { ...createOrigin(request, 'api', application.id), tenant, now: tx.now, newId: tx.newId };
    return work(tx, context, current);
  });
}

function getRequiredValue(form: RequestParameters, name: string): string {
  const value = getSingleValue(form, name);
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is required.`);
  return value;
}
