/** Issues, revokes and purges the API keys of applications.. */
import { ISSUED_KEYS_MAX, ISSUED_KEY_RETENTION_DAYS, DEFAULT_TIER } from '../../contract/limits.ts';
import type { GrantType, Resource } from '../../contract/oauth.ts';
import type { Scope } from '../../contract/scopes.ts';
import type { ApplicationRecord, InstallationRecord } from './records.ts';
import { recordChange } from '../events/changes.ts';
import type { Context } from '../kernel/context.ts';
import { createKey } from '../tenancy/api-keys.ts';
import type { ApiKeyRecord } from '../tenancy/records.ts';
import type { Tx, ReadTx } from '../tables.ts';

const MAX_KEYS_READ = 100_000;

interface KeyRequest {
  readonly application: ApplicationRecord;
  readonly installation: InstallationRecord;
  readonly grantType: GrantType;
  readonly scopes: readonly Scope[];
  /** Empty for all resources. */
  readonly audience: readonly Resource[];
  readonly lifetimeMs: number;
}

/** Issues a key to an application in the tenant of the context. Revokes the oldest keys beyond the limit. */
export async function issueKey(tx: Tx, context: Context, issue: KeyRequest): Promise<{ key: ApiKeyRecord; secret: string }> {
  const { application, installation, grantType, scopes, audience, lifetimeMs } = issue;
  const { now, newId, tenant } = context;
  const live = (await listUnrevokedKeys(tx, { applicationId: application.id, tenantId: tenant.id })).filter((key) => !isExpired(key, now));
  for (const key of live.slice(0, Math.max(0, live.length - ISSUED_KEYS_MAX + 1))) {
    await markKeyRevoked(tx, now, key);
    await recordTokenChange(tx, context, 'oauth.token_revoked', key, { application: application.id, reason: 'too many keys' });
  }
  const issued = await createKey(tx, now, newId, {
    tenantId: tenant.id,
    name: application.name,
    scopes,
    environment: installation.environment,
    rateLimitTier: DEFAULT_TIER,
    expiresAt: new Date(now.getTime() + lifetimeMs).toISOString(),
    applicationId: application.id,
    installationId: installation.id,
    ...(audience.length === 0 ? {} : { audience }),
  });
  await recordTokenChange(tx, context, 'oauth.token_issued', issued.key, { application: application.id, grantType, scopes });
  return issued;
}

/** Revokes a key immediately and records it in the audit trail. Returns false if it was revoked already. */
export async function revokeToken(tx: Tx, context: Context, key: ApiKeyRecord, reason: string): Promise<boolean> {
  if (key.revokedAt !== null) return false;
  await markKeyRevoked(tx, context.now, key);
  await recordTokenChange(tx, context, 'oauth.token_revoked', key, { application: key.applicationId, reason });
  return true;
}

/** Revokes a key without an audit row. */
export const markKeyRevoked = (tx: Tx, now: Date, key: ApiKeyRecord): Promise<void> =>
  tx.apiKeys.put({ ...key, revokedAt: now.toISOString() });

/** The keys of an application that are not revoked, oldest first, including expired ones. */
export async function listUnrevokedKeys(
  tx: ReadTx,
  { applicationId, tenantId, installationId }: { applicationId: string; tenantId?: string; installationId?: string },
): Promise<readonly ApiKeyRecord[]> {
  const { rows } = await tx.apiKeys.listAfter({
    where: [
      { field: 'applicationId', equals: applicationId },
      { field: 'revokedAt', equals: null },
      ...(tenantId === undefined ? [] : [{ field: 'tenantId', equals: tenantId }]),
    ],
    limit: MAX_KEYS_READ,
  });
  return installationId === undefined ? rows : rows.filter((key) => key.installationId === installationId);
}

/** Deletes at most `limit` keys, and as many codes, that are past their retention. Returns the larger count. */
export async function purgeOAuth(tx: Tx, now: Date, limit: number): Promise<number> {
  const before = new Date(now.getTime() - ISSUED_KEY_RETENTION_DAYS * 86_400_000).toISOString();
  const keys = new Set<string>();
  for (const field of ['expiresAt', 'revokedAt']) {
    const where = [
      { field: 'applicationId', from: '' },
      { field, before },
    ];
    for (const { id } of (await tx.apiKeys.listAfter({ where, limit })).rows) keys.add(id);
  }
  const codes = await tx.oauthCodes.listAfter({ where: [{ field: 'forgetAt', before: now.toISOString() }], limit });
  const ended = [...keys].slice(0, limit);
  for (const id of ended) await tx.apiKeys.remove(id);
  for (const { id } of codes.rows) await tx.oauthCodes.remove(id);
  return Math.max(ended.length, codes.rows.length);
}

const isExpired = ({ expiresAt }: ApiKeyRecord, now: Date): boolean => expiresAt !== null && Date.parse(expiresAt) <= now.getTime();

const recordTokenChange = (tx: Tx, context: Context, action: string, key: ApiKeyRecord, metadata: Readonly<Record<string, unknown>>) =>
  recordChange(tx, context, { action, resourceType: 'api_key', resourceId: key.id, metadata: { prefix: key.prefix, ...metadata } });
