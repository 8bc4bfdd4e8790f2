/** Proofs of clients, and what confidential ones may obtain on their own behalf. RFC 6749 §2.3, §4.4; decisions-api §6.3. */
import { hash, timingSafeEqual } from 'node:crypto';
import { CLIENT_CREDENTIALS_KEY_H } from '../contract/limits.ts';
import type { Resource } from '../contract/oauth.ts';
import type { ApplicationRecord, InstallationRecord } from './applications.ts';
import type { Context } from './context.ts';
import { installationsOf } from './installations.ts';
import { issueKey } from './issued-keys.ts';
import type { ApiKeyRecord } from './keys.ts';
import { OAuthError } from './oauth-errors.ts';
import { scopesOf } from './oauth-requests.ts';
import type { ReadTx, Tx } from './tables.ts';
import { findTenant } from './tenants.ts';

const DUMMY = hash('sha256', 'no such client', 'buffer');

/** The application that proves itself with this secret; a public one with none. Undefined is no proof, whatever the reason. */
export async function provenApplication(
  tx: ReadTx,
  clientId: string,
  secret: string | undefined,
  now: Date,
): Promise<ApplicationRecord | undefined> {
  const application = await tx.applications.find('clientId', clientId);
  if (application?.type === 'public') return secret === undefined ? application : undefined;
  if (secret === undefined) return undefined;
  const digest = hash('sha256', secret, 'buffer');
  const inForce = application?.secrets.filter(({ expiresAt }) => expiresAt === null || Date.parse(expiresAt) > now.getTime()) ?? [];
  // An unknown client costs the same comparison as a known one.
  const hashes = inForce.length === 0 ? [DUMMY] : inForce.map((known) => Buffer.from(known.hash, 'hex'));
  const matches = hashes.filter((known) => timingSafeEqual(known, digest));
  return inForce.length > 0 && matches.length > 0 ? application : undefined;
}

/** The installation that client credentials are for: of the tenant named, or the only one. */
export async function installationFor(tx: ReadTx, application: ApplicationRecord, tenant: string | undefined): Promise<InstallationRecord> {
  if (application.status !== 'approved') throw new OAuthError('unauthorized_client', `The application is ${application.status}.`);
  if (!application.grantTypes.includes('client_credentials')) {
    throw new OAuthError('unauthorized_client', 'The application is not registered for client credentials.');
  }
  const active = (await installationsOf(tx, application.id)).filter(({ status }) => status === 'active');
  const wanted = tenant === undefined ? undefined : await findTenant(tx, tenant);
  const found = tenant === undefined ? active : active.filter(({ tenantId }) => tenantId === wanted?.id);
  const [only] = found;
  if (!only) throw new OAuthError('unauthorized_client', 'The application is not installed there.');
  if (found.length > 1) {
    throw new OAuthError(
      'invalid_request',
      `The application is installed in ${String(found.length)} organizations; name one with tenant_id.`,
    );
  }
  return only;
}

/** A key for the application itself, in the tenant of the context. */
export async function useCredentials(
  tx: Tx,
  context: Context,
  application: ApplicationRecord,
  { tenant, scope, audience }: { tenant: string | undefined; scope: string | undefined; audience: readonly Resource[] },
): Promise<{ key: ApiKeyRecord; secret: string }> {
  const installation = await installationFor(tx, application, tenant);
  if (!context.tenant.isActive) throw new OAuthError('unauthorized_client', 'The organization is not active.');
  const possible = application.allowedScopes.filter((allowed) => installation.grantedScopes.includes(allowed));
  const scopes = scopesOf(scope, possible);
  const lifetimeMs = CLIENT_CREDENTIALS_KEY_H * 3_600_000;
  return issueKey(tx, context, { application, installation, grantType: 'client_credentials', scopes, audience, lifetimeMs });
}
