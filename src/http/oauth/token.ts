/** `POST /oauth/token` and `POST /oauth/revoke`. RFC 6749 §4.1.3, §4.4, RFC 7009; decisions-api §6.3, §6.4. */
import type { Request } from '@hapi/hapi';
import { GRANT_TYPES, type Resource } from '../../contract/oauth.ts';
import type { ApplicationRecord } from '../../domain/applications.ts';
import type { Context } from '../../domain/context.ts';
import { revokeToken } from '../../domain/issued-keys.ts';
import { type ApiKeyRecord, findKey } from '../../domain/keys.ts';
import { installationFor, useCredentials } from '../../domain/oauth-clients.ts';
import { findCode, useCode } from '../../domain/oauth-codes.ts';
import { OAuthError } from '../../domain/oauth-errors.ts';
import { type Parameters, audienceOf, single } from '../../domain/oauth-requests.ts';
import type { Tx } from '../../domain/tables.ts';
import { baseOf } from '../challenge.ts';
import type { Service } from '../service.ts';
import { clientOf } from './clients.ts';
import { formOf } from './form.ts';

type Issued = { readonly key: ApiKeyRecord; readonly secret: string };

/** The body of a token reply. */
export async function token(service: Service, request: Request): Promise<object> {
  const form = formOf(request);
  const application = await clientOf(service, request, form);
  const grant = single(form, 'grant_type');
  if (grant === undefined) throw new OAuthError('invalid_request', `grant_type is required: ${GRANT_TYPES.join(' or ')}.`);
  if (grant !== 'authorization_code' && grant !== 'client_credentials') {
    throw new OAuthError('unsupported_grant_type', `grant_type must be ${GRANT_TYPES.join(' or ')}.`);
  }
  const audience = audienceOf(form.get('resource') ?? [], baseOf(request));
  const exchange = grant === 'authorization_code' ? byCode : byCredentials;
  const { key, secret } = await exchange(service, request, application, form, audience);
  const seconds = (Date.parse(String(key.expiresAt)) - Date.parse(key.createdAt)) / 1_000;
  return { access_token: secret, token_type: 'Bearer', expires_in: seconds, scope: key.scopes.join(' ') };
}

type Exchange = (
  service: Service,
  request: Request,
  application: ApplicationRecord,
  form: Parameters,
  audience: readonly Resource[],
) => Promise<Issued>;

const byCode: Exchange = async (service, request, application, form, audience) => {
  if (!application.grantTypes.includes('authorization_code')) {
    throw new OAuthError('unauthorized_client', 'The application is not registered for the authorization code flow.');
  }
  const [code, redirectUri, verifier] = ['code', 'redirect_uri', 'code_verifier'].map((name) => required(form, name)) as [
    string,
    string,
    string,
  ];
  const known = await service.store.glance('', (tx) => findCode(tx, code));
  const result = await inTenant(service, request, application, known?.tenantId ?? '', (tx, context, fresh) =>
    useCode(tx, context, { application: fresh, code, redirectUri, verifier, audience }),
  );
  if (result instanceof OAuthError) throw result;
  return result;
};

const byCredentials: Exchange = async (service, request, application, form, audience) => {
  const tenant = single(form, 'tenant_id');
  const scope = single(form, 'scope');
  const { tenantId } = await service.store.glance('', (tx) => installationFor(tx, application, tenant));
  return inTenant(service, request, application, tenantId, (tx, context, fresh) =>
    useCredentials(tx, context, fresh, { tenant, scope, audience }),
  );
};

/** Revokes a key of the client; anything else is no error and no change. */
export async function revoke(service: Service, request: Request): Promise<undefined> {
  const form = formOf(request);
  const application = await clientOf(service, request, form);
  const secret = required(form, 'token');
  const key = await service.store.glance('', (tx) => findKey(tx, secret));
  if (key?.applicationId !== application.id) return;
  await inTenant(service, request, application, key.tenantId, async (tx, context) => {
    const fresh = await tx.apiKeys.get(key.id);
    if (fresh) await revokeToken(tx, context, fresh, 'revoked by its application');
  });
}

/** One transaction in the name of an application, which is read again: it may have been suspended a moment ago. */
function inTenant<T>(
  service: Service,
  request: Request,
  application: ApplicationRecord,
  tenantId: string,
  work: (tx: Tx, context: Context, application: ApplicationRecord) => Promise<T>,
): Promise<T> {
  const { store, clock, newId } = service;
  return store.transact(tenantId, async (tx) => {
    const tenant = await tx.tenants.get(tenantId);
    const fresh = await tx.applications.get(application.id);
    if (!tenant || !fresh) throw new OAuthError('invalid_grant', 'The code is unknown, or its organization is gone.');
    const actor = { type: 'api', id: application.id } as const;
    const context = { tenant, actor, requestId: request.app.requestId, ipAddress: request.info.remoteAddress, now: clock.now(), newId };
    return work(tx, context, fresh);
  });
}

function required(form: Parameters, name: string): string {
  const value = single(form, name);
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is required.`);
  return value;
}
