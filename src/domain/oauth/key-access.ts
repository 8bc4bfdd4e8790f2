/** The effective access of API keys. Application and installation are checked on every request, so that suspending one takes effect immediately. */
import type { Resource } from '../../contract/oauth.ts';
import type { Clock } from '../kernel/ports.ts';
import type { TenantRecord } from '../kernel/tenant.ts';
import type { ReadTx } from '../tables.ts';
import { findKey } from '../tenancy/api-keys.ts';
import type { ApiKeyRecord } from '../tenancy/records.ts';

/** The effective key and tenant for a secret, or the reason for refusal, which is meant for the log and not for the client. */
export async function findLiveKey(tx: ReadTx, secret: string, clock: Clock): Promise<LiveKey | RefusedKey> {
  const key = await findKey(tx, secret);
  return key?.isConsole ? { refused: 'of a console session' } : checkLiveKey(tx, key, clock.now(key?.tenantId));
}

/** The same for the secret of a session of the console. */
export async function findConsoleSession(tx: ReadTx, secret: string, clock: Clock): Promise<LiveKey | RefusedKey> {
  const key = await findKey(tx, secret);
  return key?.isConsole ? checkLiveKey(tx, key, clock.now(key.tenantId)) : { refused: 'no console session' };
}

export interface LiveKey {
  readonly key: ApiKeyRecord;
  readonly tenant: TenantRecord;
  /** Why its application is not allowed any access. */
  readonly disabled?: string;
}

export interface RefusedKey {
  readonly refused: string;
  /** The expired or revoked key of the secret, for the request log. */
  readonly ended?: ApiKeyRecord;
}

/** The same for a key that was found before: access may have been withdrawn since. */
export async function checkLiveKey(tx: ReadTx, key: ApiKeyRecord | undefined, now: Date): Promise<LiveKey | RefusedKey> {
  if (!key) return { refused: 'malformed or unknown' };
  if (key.revokedAt !== null) return { refused: 'revoked', ended: key };
  if (key.expiresAt !== null && Date.parse(key.expiresAt) <= now.getTime()) return { refused: 'expired', ended: key };
  const [tenant, effective] = await Promise.all([tx.tenants.get(key.tenantId), toEffectiveKey(tx, key)]);
  return tenant?.isActive ? { tenant, ...effective } : { refused: 'tenant inactive' };
}

/**
 * The key with its effective scopes: those that its application and installation still have. `disabled` is the reason when the application
 * is not allowed any access. Keys without an application are returned unchanged.
 */
export async function toEffectiveKey(tx: ReadTx, key: ApiKeyRecord): Promise<{ key: ApiKeyRecord; disabled?: string }> {
  if (key.applicationId === null) return { key };
  const [application, installation] = await Promise.all([
    tx.applications.get(key.applicationId),
    key.installationId === null ? undefined : tx.installations.get(key.installationId),
  ]);
  if (application?.status !== 'approved') return { key, disabled: `The application is ${application?.status ?? 'deleted'}.` };
  if (installation?.status !== 'active') return { key, disabled: 'The application is no longer connected to this organization.' };
  const { allowedScopes } = application;
  const scopes = key.scopes.filter((scope) => allowedScopes.includes(scope) && installation.grantedScopes.includes(scope));
  return { key: scopes.length === key.scopes.length ? key : { ...key, scopes } };
}

/** Whether the audience of a key includes a resource. MCP tools call /v1, so every key can use /v1; keys without an audience can use both. */
export const canUseResource = ({ audience }: ApiKeyRecord, resource: Resource): boolean =>
  audience === undefined || resource !== '/mcp' || audience.includes('') || audience.includes('/mcp');
