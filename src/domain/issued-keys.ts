/** Keys that applications obtain: made, counted, revoked, forgotten. decisions-api §6.3. */
import { ISSUED_KEYS_MAX, ISSUED_KEY_MEMORY_DAYS } from '../contract/limits.ts';
import { DEFAULT_TIER } from '../contract/limits.ts';
import type { GrantType, Resource } from '../contract/oauth.ts';
import type { Scope } from '../contract/scopes.ts';
import type { ApplicationRecord, InstallationRecord } from './applications.ts';
import { note } from './changes.ts';
import type { Context } from './context.ts';
import { type ApiKeyRecord, createKey } from './keys.ts';
import type { Tx, ReadTx } from './tables.ts';

const KEYS_READ = 100_000;

interface Issue {
  readonly application: ApplicationRecord;
  readonly installation: InstallationRecord;
  readonly grantType: GrantType;
  readonly scopes: readonly Scope[];
  /** Empty: everything. */
  readonly audience: readonly Resource[];
  readonly lifetimeMs: number;
}

/** A fresh key for an application in the tenant of the context; the oldest of them goes when there would be too many. */
export async function issueKey(tx: Tx, context: Context, issue: Issue): Promise<{ key: ApiKeyRecord; secret: string }> {
  const { application, installation, grantType, scopes, audience, lifetimeMs } = issue;
  const { now, newId, tenant } = context;
  const live = (await liveKeysOf(tx, { applicationId: application.id, tenantId: tenant.id })).filter((key) => !hasEnded(key, now));
  for (const key of live.slice(0, Math.max(0, live.length - ISSUED_KEYS_MAX + 1))) {
    await revokeIssued(tx, now, key);
    await noteToken(tx, context, 'oauth.token_revoked', key, { application: application.id, reason: 'too many keys' });
  }
  const made = await createKey(tx, now, newId, {
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
  await noteToken(tx, context, 'oauth.token_issued', made.key, { application: application.id, grantType, scopes });
  return made;
}

/** Ends a key for somebody, at once; false when it had ended before. */
export async function revokeToken(tx: Tx, context: Context, key: ApiKeyRecord, reason: string): Promise<boolean> {
  if (key.revokedAt !== null) return false;
  await revokeIssued(tx, context.now, key);
  await noteToken(tx, context, 'oauth.token_revoked', key, { application: key.applicationId, reason });
  return true;
}

export const revokeIssued = (tx: Tx, now: Date, key: ApiKeyRecord): Promise<void> =>
  tx.apiKeys.put({ ...key, revokedAt: now.toISOString() });

/** Keys of an application that nobody revoked, the oldest first; expired ones included. */
export async function liveKeysOf(
  tx: ReadTx,
  { applicationId, tenantId, installationId }: { applicationId: string; tenantId?: string; installationId?: string },
): Promise<readonly ApiKeyRecord[]> {
  const { rows } = await tx.apiKeys.after({
    where: [
      { field: 'applicationId', equals: applicationId },
      { field: 'revokedAt', equals: null },
      ...(tenantId === undefined ? [] : [{ field: 'tenantId', equals: tenantId }]),
    ],
    limit: KEYS_READ,
  });
  return installationId === undefined ? rows : rows.filter((key) => key.installationId === installationId);
}

/** Removes at most `limit` keys and codes that have been over for long enough; returns how many there were. */
export async function purgeOAuth(tx: Tx, now: Date, limit: number): Promise<number> {
  const before = new Date(now.getTime() - ISSUED_KEY_MEMORY_DAYS * 86_400_000).toISOString();
  const keys = new Set<string>();
  for (const field of ['expiresAt', 'revokedAt']) {
    const where = [
      { field: 'applicationId', from: '' },
      { field, before },
    ];
    for (const { id } of (await tx.apiKeys.after({ where, limit })).rows) keys.add(id);
  }
  const codes = await tx.oauthCodes.after({ where: [{ field: 'forgetAt', before: now.toISOString() }], limit });
  const ended = [...keys].slice(0, limit);
  for (const id of ended) await tx.apiKeys.remove(id);
  for (const { id } of codes.rows) await tx.oauthCodes.remove(id);
  return Math.max(ended.length, codes.rows.length);
}

const hasEnded = ({ expiresAt }: ApiKeyRecord, now: Date): boolean => expiresAt !== null && Date.parse(expiresAt) <= now.getTime();

const noteToken = (tx: Tx, context: Context, action: string, key: ApiKeyRecord, metadata: Readonly<Record<string, unknown>>) =>
  note(tx, context, { action, resourceType: 'api_key', resourceId: key.id, metadata: { prefix: key.prefix, ...metadata } });
