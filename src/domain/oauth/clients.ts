/** Authenticates OAuth clients, and issues keys for the client credentials grant. RFC 6749 §2.3, §4.4. */
import { hash, timingSafeEqual } from 'node:crypto';
import { CLIENT_CREDENTIALS_KEY_H } from '../../contract/limits.ts';
import type { Resource } from '../../contract/oauth.ts';
import type { ApplicationRecord, InstallationRecord } from './records.ts';
import type { Context } from '../kernel/context.ts';
import { listInstallations } from './installations.ts';
import { issueKey } from './issued-keys.ts';
import type { ApiKeyRecord } from '../tenancy/records.ts';
import { OAuthError } from './errors.ts';
import { parseScopes } from './authorization-requests.ts';
import type { ReadTx, Tx } from '../tables.ts';
import { findTenant } from '../tenancy/tenants.ts';

const DUMMY_HASH = hash('sha256', 'no such client', 'buffer');

/** The application with this client id and secret; a public application has no secret. Undefined if authentication fails. */
export async function authenticateClient(
  tx: ReadTx,
  clientId: string,
  secret: string | undefined,
  now: Date,
): Promise<ApplicationRecord | undefined> {
  const application = await tx.applications.findUnique('clientId', clientId);
  if (application?.type === 'public') return secret === undefined ? application : undefined;
  if (secret === undefined) return undefined;
  const digest = hash('sha256', secret, 'buffer');
  const activeSecrets = application?.secrets.filter(({ expiresAt }) => expiresAt === null || Date.parse(expiresAt) > now.getTime()) ?? [];
  // Compare for unknown clients as well, so that the response time does not reveal whether a client exists.
  const hashes = activeSecrets.length === 0 ? [DUMMY_HASH] : activeSecrets.map((known) => Buffer.from(known.hash, 'hex'));
  const matches = hashes.filter((known) => timingSafeEqual(known, digest));
  return activeSecrets.length > 0 && matches.length > 0 ? application : undefined;
}

export const isKnownClient = async (tx: ReadTx, clientId: string): Promise<boolean> =>
  (await tx.applications.findUnique('clientId', clientId)) !== undefined;

/** The active installation for a client credentials request: in the given tenant, or the only one. */
export async function selectInstallation(
  tx: ReadTx,
  application: ApplicationRecord,
  tenant: string | undefined,
): Promise<InstallationRecord> {
  if (application.status !== 'approved') throw new OAuthError('unauthorized_client', `The application is ${application.status}.`);
  if (!application.grantTypes.includes('client_credentials')) {
    throw new OAuthError('unauthorized_client', 'The application is not registered for the client credentials grant.');
  }
  const active = (await listInstallations(tx, application.id)).filter(({ status }) => status === 'active');
  const tenantId = tenant === undefined ? undefined : (await findTenant(tx, tenant))?.id;
  const found = tenant === undefined ? active : active.filter((installation) => installation.tenantId === tenantId);
  const [only] = found;
  if (!only) throw new OAuthError('unauthorized_client', 'The application is not connected to this organization.');
  if (found.length > 1) {
    throw new OAuthError(
      'invalid_request',
      `The application is connected to ${String(found.length)} organizations. Choose one with tenant_id.`,
    );
  }
  return only;
}

/** Issues a key to the application itself, in the tenant of the context. */
export async function issueClientCredentialsKey(
  tx: Tx,
  context: Context,
  application: ApplicationRecord,
  { tenant, scope, audience }: { tenant: string | undefined; scope: string | undefined; audience: readonly Resource[] },
): Promise<{ key: ApiKeyRecord; secret: string }> {
  const installation = await selectInstallation(tx, application, tenant);
  if (!context.tenant.isActive) throw new OAuthError('unauthorized_client', 'The organization is not active.');
  const allowed = application.allowedScopes.filter((name) => installation.grantedScopes.includes(name));
  const scopes = parseScopes(scope, allowed);
  const lifetimeMs = CLIENT_CREDENTIALS_KEY_H * 3_600_000;
  return issueKey(tx, context, { application, installation, grantType: 'client_credentials', scopes, audience, lifetimeMs });
}
