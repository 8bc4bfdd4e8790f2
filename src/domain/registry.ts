/** Changes of the registry of partner applications. decisions-api §6.1. The registry belongs to the service; audit rows to the tenant of the context. */
import { hash } from 'node:crypto';
import type { ApplicationDraft, ApplicationPatch, Approval } from '../contract/admin/apps.ts';
import { ROTATION_OVERLAP_H } from '../contract/limits.ts';
import type { ApplicationType, GrantType } from '../contract/oauth.ts';
import { SCOPES } from '../contract/scopes.ts';
import type { ApplicationRecord, InstallationRecord } from './applications.ts';
import { installationIn } from './applications.ts';
import { type Change, differences, note } from './changes.ts';
import { type Context, nextTimestamp } from './context.ts';
import { StockroomError, invalidField, notFound } from './errors.ts';
import { connect, installationsOf } from './installations.ts';
import { liveKeysOf, revokeIssued } from './issued-keys.ts';
import { randomText } from './keys.ts';
import { checkRedirectUri } from './redirects.ts';
import type { ReadTx, Tx } from './tables.ts';
import { requiredText } from './text.ts';

const CLIENT_ID_CHARS = 22;
const SECRET_CHARS = 43;
const FIELDS = ['name', 'redirectUris', 'allowedScopes', 'grantTypes'] as const satisfies readonly (keyof ApplicationRecord)[];

/** The application with this id or client id. */
export async function getApplication(tx: ReadTx, idOrClientId: string): Promise<ApplicationRecord> {
  const found = (await tx.applications.get(idOrClientId)) ?? (await tx.applications.find('clientId', idOrClientId));
  if (!found) throw notFound('application', idOrClientId);
  return found;
}

/** A new application with its secret, which nobody can read again; public ones have none. */
export async function createApplication(
  tx: Tx,
  context: Context,
  { name, type, redirectUris, scopes, grantTypes }: ApplicationDraft,
): Promise<{ application: ApplicationRecord; clientSecret: string | null }> {
  const at = context.now.toISOString();
  const clientSecret = type === 'confidential' ? makeSecret() : null;
  const application: ApplicationRecord = {
    id: context.newId(),
    clientId: `app_${randomText(CLIENT_ID_CHARS)}`,
    name: requiredText(name, '/name'),
    type,
    redirectUris,
    allowedScopes: inOrder(scopes),
    grantTypes: grantTypes ?? defaultGrants(type, redirectUris),
    status: 'pending',
    secrets: clientSecret === null ? [] : [{ hash: hash('sha256', clientSecret), expiresAt: null }],
    createdAt: at,
    updatedAt: at,
  };
  check(application);
  await tx.applications.put(application);
  await noteApplication(tx, context, 'application.created', application, { metadata: { name: application.name, type } });
  return { application, clientSecret };
}

export async function updateApplication(tx: Tx, context: Context, id: string, patch: ApplicationPatch): Promise<ApplicationRecord> {
  const before = await getApplication(tx, id);
  const fields: ApplicationRecord = {
    ...before,
    name: patch.name === undefined ? before.name : requiredText(patch.name, '/name'),
    redirectUris: patch.redirectUris ?? before.redirectUris,
    allowedScopes: patch.scopes ? inOrder(patch.scopes) : before.allowedScopes,
    grantTypes: patch.grantTypes ?? before.grantTypes,
  };
  check(fields);
  const changes = differences<ApplicationRecord>(before, fields, FIELDS);
  if (Object.keys(changes).length === 0) return before;
  return save(tx, context, before, fields, 'application.updated', { changes });
}

/** Approves the application; with `install`, connects it with the tenant of the context. */
export async function approveApplication(
  tx: Tx,
  context: Context,
  id: string,
  { scopes, environment }: Approval,
  install: boolean,
): Promise<ApplicationRecord> {
  const before = await getApplication(tx, id);
  const strange = scopes?.find((scope) => !before.allowedScopes.includes(scope));
  if (strange !== undefined) {
    throw invalidField('/scopes', `${before.name} may be granted ${before.allowedScopes.join(', ')}, not ${strange}.`, 'not_allowed');
  }
  const after =
    before.status === 'approved' ? before : await save(tx, context, before, { ...before, status: 'approved' }, 'application.approved');
  if (install) await connect(tx, context, after, { scopes: inOrder(scopes ?? after.allowedScopes), environment, exactly: true });
  return after;
}

export async function suspendApplication(tx: Tx, context: Context, id: string): Promise<ApplicationRecord> {
  const before = await getApplication(tx, id);
  if (before.status === 'suspended') return before;
  return save(tx, context, before, { ...before, status: 'suspended' }, 'application.suspended');
}

/** Ends the installation in the tenant of the context; its keys are refused from now on. */
export async function disconnectApplication(tx: Tx, context: Context, id: string): Promise<ApplicationRecord> {
  const application = await getApplication(tx, id);
  const { tenant, now } = context;
  const before = await installationIn(tx, application.id, tenant.id);
  if (!before) throw new StockroomError('NOT_FOUND', `${application.name} was never connected with ${tenant.slug}.`);
  if (before.status === 'revoked') return application;
  const after: InstallationRecord = { ...before, status: 'revoked', updatedAt: nextTimestamp(now, before.updatedAt) };
  await tx.installations.put(after);
  await note(tx, context, {
    action: 'integration.disconnected',
    resourceType: 'integration',
    resourceId: after.id,
    metadata: { application: { id: application.id, name: application.name } },
  });
  return application;
}

/** A new secret beside the present one, which ends a day later; the one before that ends now. */
export async function rotateSecret(
  tx: Tx,
  context: Context,
  id: string,
): Promise<{ application: ApplicationRecord; clientSecret: string }> {
  const before = await getApplication(tx, id);
  if (before.type === 'public') throw new StockroomError('INVALID_STATE', `${before.name} is public and has no secret.`);
  const clientSecret = makeSecret();
  const expiresAt = new Date(context.now.getTime() + ROTATION_OVERLAP_H * 3_600_000).toISOString();
  const older = before.secrets.slice(0, 1).map(({ hash: digest }) => ({ hash: digest, expiresAt }));
  const secrets = [{ hash: hash('sha256', clientSecret), expiresAt: null }, ...older];
  const application = await save(tx, context, before, { ...before, secrets }, 'application.secret_rotated');
  return { application, clientSecret };
}

/** Removes the application with its installations; every key that it holds is revoked. */
export async function deleteApplication(tx: Tx, context: Context, id: string): Promise<ApplicationRecord> {
  const application = await getApplication(tx, id);
  for (const key of await liveKeysOf(tx, { applicationId: application.id })) await revokeIssued(tx, context.now, key);
  for (const installation of await installationsOf(tx, application.id)) await tx.installations.remove(installation.id);
  await tx.applications.remove(application.id);
  await noteApplication(tx, context, 'application.deleted', application, { metadata: { name: application.name } });
  return application;
}

export const noteApplication = (
  tx: Tx,
  context: Context,
  action: string,
  application: Pick<ApplicationRecord, 'id' | 'name'>,
  more: Pick<Change, 'changes' | 'metadata'> = {},
): Promise<void> =>
  note(tx, context, { metadata: { name: application.name }, ...more, action, resourceType: 'application', resourceId: application.id });

async function save(
  tx: Tx,
  context: Context,
  before: ApplicationRecord,
  fields: ApplicationRecord,
  action: string,
  more: Pick<Change, 'changes'> = {},
): Promise<ApplicationRecord> {
  const after: ApplicationRecord = { ...fields, updatedAt: nextTimestamp(context.now, before.updatedAt) };
  await tx.applications.put(after);
  await noteApplication(tx, context, action, after, more);
  return after;
}

function check({ type, redirectUris, grantTypes }: ApplicationRecord): void {
  for (const [at, uri] of redirectUris.entries()) checkRedirectUri(uri, `/redirectUris/${String(at)}`);
  if (type === 'public' && grantTypes.includes('client_credentials')) {
    throw invalidField('/grantTypes', 'A public application has no credentials, so client_credentials is not for it.', 'not_allowed');
  }
  if (grantTypes.includes('authorization_code') && redirectUris.length === 0) {
    throw invalidField('/redirectUris', 'redirectUris is required: consent has to lead somewhere.', 'required');
  }
}

const defaultGrants = (type: ApplicationType, redirectUris: readonly string[]): readonly GrantType[] => {
  if (type === 'public') return ['authorization_code'];
  return redirectUris.length === 0 ? ['client_credentials'] : ['authorization_code', 'client_credentials'];
};

/** In the order of the contract, whatever the order of the request. */
const inOrder = (scopes: ApplicationRecord['allowedScopes']) => SCOPES.filter((scope) => scopes.includes(scope));

const makeSecret = (): string => `cs_${randomText(SECRET_CHARS)}`;
