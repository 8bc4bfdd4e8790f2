/** Creates, changes and deletes partner applications. Applications belong to the service; their audit rows to the tenant of the context.. */
import { hash } from 'node:crypto';
import type { ApplicationDraft, ApplicationPatch, Approval } from '../../contract/admin/apps.ts';
import { ROTATION_OVERLAP_H } from '../../contract/limits.ts';
import type { ApplicationType, GrantType } from '../../contract/oauth.ts';
import { SCOPES } from '../../contract/scopes.ts';
import type { ApplicationRecord, InstallationRecord } from './records.ts';
import { findInstallation, connectApplication, listInstallations } from './installations.ts';
import { type Change, diffFields, recordChange } from '../events/changes.ts';
import { type Context, getNextTimestamp } from '../kernel/context.ts';
import { StockroomError, invalidField, notFound } from '../kernel/errors.ts';
import { listUnrevokedKeys, markKeyRevoked } from './issued-keys.ts';
import { generateRandomText } from '../tenancy/api-keys.ts';
import { checkRedirectUri } from './redirect-uris.ts';
import type { ReadTx, Tx } from '../tables.ts';
import { requireText } from '../kernel/text.ts';

export const CLIENT_ID_CHARS = 22;
const SECRET_CHARS = 43;
const FIELDS = ['name', 'redirectUris', 'allowedScopes', 'grantTypes'] as const satisfies readonly (keyof ApplicationRecord)[];

/** The application with this id or client id; 404 if there is none. */
export async function getApplication(tx: ReadTx, idOrClientId: string): Promise<ApplicationRecord> {
  const found = (await tx.applications.get(idOrClientId)) ?? (await tx.applications.findUnique('clientId', idOrClientId));
  if (!found) throw notFound('application', idOrClientId);
  return found;
}

/** What a client authenticates with; random where it is not given. */
export interface ClientCredentials {
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
}

/** Creates an application and returns its client secret, which is not stored and cannot be shown again. Public applications have none. */
export async function createApplication(
  tx: Tx,
  context: Context,
  { name, type, redirectUris, scopes, grantTypes }: ApplicationDraft,
  given: ClientCredentials = {},
): Promise<{ application: ApplicationRecord; clientSecret: string | null }> {
  const at = context.now.toISOString();
  if (type === 'public' && given.clientSecret !== undefined)
    throw invalidField('/clientSecret', 'Public applications have no secret.', 'not_allowed');
  const clientSecret = type === 'confidential' ? (given.clientSecret ?? generateClientSecret()) : null;
  const application: ApplicationRecord = {
    id: context.newId(),
    clientId: given.clientId ?? `app_${generateRandomText(CLIENT_ID_CHARS)}`,
    name: requireText(name, '/name'),
    type,
    redirectUris,
    allowedScopes: sortScopes(scopes),
    grantTypes: grantTypes ?? getDefaultGrantTypes(type, redirectUris),
    status: 'pending',
    secrets: clientSecret === null ? [] : [{ hash: hash('sha256', clientSecret), expiresAt: null }],
    createdAt: at,
    updatedAt: at,
  };
  validateApplication(application);
  await tx.applications.put(application);
  await recordApplicationChange(tx, context, 'application.created', application, { metadata: { name: application.name, type } });
  return { application, clientSecret };
}

export async function updateApplication(tx: Tx, context: Context, id: string, patch: ApplicationPatch): Promise<ApplicationRecord> {
  const before = await getApplication(tx, id);
  const fields: ApplicationRecord = {
    ...before,
    name: patch.name === undefined ? before.name : requireText(patch.name, '/name'),
    redirectUris: patch.redirectUris ?? before.redirectUris,
    allowedScopes: patch.scopes ? sortScopes(patch.scopes) : before.allowedScopes,
    grantTypes: patch.grantTypes ?? before.grantTypes,
  };
  validateApplication(fields);
  const changes = diffFields<ApplicationRecord>(before, fields, FIELDS);
  if (Object.keys(changes).length === 0) return before;
  return saveApplication(tx, context, before, fields, 'application.updated', { changes });
}

/** Approves an application. With `shouldInstall`, connects it to the tenant of the context. */
export async function approveApplication(
  tx: Tx,
  context: Context,
  id: string,
  { scopes, environment }: Approval,
  shouldInstall: boolean,
): Promise<ApplicationRecord> {
  const before = await getApplication(tx, id);
  const notAllowed = scopes?.find((scope) => !before.allowedScopes.includes(scope));
  if (notAllowed !== undefined) {
    throw invalidField(
      '/scopes',
      `Scope ${notAllowed} is not allowed for ${before.name}. Allowed scopes: ${before.allowedScopes.join(', ')}.`,
      'not_allowed',
    );
  }
  const after =
    before.status === 'approved'
      ? before
      : await saveApplication(tx, context, before, { ...before, status: 'approved' }, 'application.approved');
  if (shouldInstall)
    await connectApplication(tx, context, after, { scopes: sortScopes(scopes ?? after.allowedScopes), environment, replacesScopes: true });
  return after;
}

export async function suspendApplication(tx: Tx, context: Context, id: string): Promise<ApplicationRecord> {
  const before = await getApplication(tx, id);
  if (before.status === 'suspended') return before;
  return saveApplication(tx, context, before, { ...before, status: 'suspended' }, 'application.suspended');
}

/** Revokes the installation in the tenant of the context. Its keys are refused immediately. */
export async function disconnectApplication(tx: Tx, context: Context, id: string): Promise<ApplicationRecord> {
  const application = await getApplication(tx, id);
  const { tenant, now } = context;
  const before = await findInstallation(tx, application.id, tenant.id);
  if (!before) throw new StockroomError('NOT_FOUND', `${application.name} is not connected to tenant ${tenant.slug}.`);
  if (before.status === 'revoked') return application;
  const after: InstallationRecord = { ...before, status: 'revoked', updatedAt: getNextTimestamp(now, before.updatedAt) };
  await tx.installations.put(after);
  await recordChange(tx, context, {
    action: 'integration.disconnected',
    resourceType: 'integration',
    resourceId: after.id,
    metadata: { application: { id: application.id, name: application.name } },
  });
  return application;
}

/** Creates a new client secret. The current one stays valid for a day; an older one stops being valid immediately. */
export async function rotateClientSecret(
  tx: Tx,
  context: Context,
  id: string,
): Promise<{ application: ApplicationRecord; clientSecret: string }> {
  const before = await getApplication(tx, id);
  if (before.type === 'public') throw new StockroomError('INVALID_STATE', `${before.name} is a public application and has no secret.`);
  const clientSecret = generateClientSecret();
  const expiresAt = new Date(context.now.getTime() + ROTATION_OVERLAP_H * 3_600_000).toISOString();
  const older = before.secrets.slice(0, 1).map(({ hash: digest }) => ({ hash: digest, expiresAt }));
  const secrets = [{ hash: hash('sha256', clientSecret), expiresAt: null }, ...older];
  const application = await saveApplication(tx, context, before, { ...before, secrets }, 'application.secret_rotated');
  return { application, clientSecret };
}

/** Deletes an application with its installations, and revokes its keys. */
export async function deleteApplication(tx: Tx, context: Context, id: string): Promise<ApplicationRecord> {
  const application = await getApplication(tx, id);
  for (const key of await listUnrevokedKeys(tx, { applicationId: application.id })) await markKeyRevoked(tx, context.now, key);
  for (const installation of await listInstallations(tx, application.id)) await tx.installations.remove(installation.id);
  await tx.applications.remove(application.id);
  await recordApplicationChange(tx, context, 'application.deleted', application, { metadata: { name: application.name } });
  return application;
}

/** Records a change of an application in the audit trail. */
export const recordApplicationChange = (
  tx: Tx,
  context: Context,
  action: string,
  application: Pick<ApplicationRecord, 'id' | 'name'>,
  more: Pick<Change, 'changes' | 'metadata'> = {},
): Promise<void> =>
  recordChange(tx, context, {
    metadata: { name: application.name },
    ...more,
    action,
    resourceType: 'application',
    resourceId: application.id,
  });

async function saveApplication(
  tx: Tx,
  context: Context,
  before: ApplicationRecord,
  fields: ApplicationRecord,
  action: string,
  more: Pick<Change, 'changes'> = {},
): Promise<ApplicationRecord> {
  const after: ApplicationRecord = { ...fields, updatedAt: getNextTimestamp(context.now, before.updatedAt) };
  await tx.applications.put(after);
  await recordApplicationChange(tx, context, action, after, more);
  return after;
}

function validateApplication({ type, redirectUris, grantTypes }: ApplicationRecord): void {
  for (const [at, uri] of redirectUris.entries()) checkRedirectUri(uri, `/redirectUris/${String(at)}`);
  if (type === 'public' && grantTypes.includes('client_credentials')) {
    throw invalidField('/grantTypes', 'Public applications have no credentials and cannot use client_credentials.', 'not_allowed');
  }
  if (grantTypes.includes('authorization_code') && redirectUris.length === 0) {
    throw invalidField('/redirectUris', 'redirectUris is required for the authorization_code grant.', 'required');
  }
}

const getDefaultGrantTypes = (type: ApplicationType, redirectUris: readonly string[]): readonly GrantType[] => {
  if (type === 'public') return ['authorization_code'];
  return redirectUris.length === 0 ? ['client_credentials'] : ['authorization_code', 'client_credentials'];
};

/** Sorts scopes in the order of the contract. */
const sortScopes = (scopes: ApplicationRecord['allowedScopes']) => SCOPES.filter((scope) => scopes.includes(scope));

const generateClientSecret = (): string => `cs_${generateRandomText(SECRET_CHARS)}`;
