/**
 * Partner applications and where they are installed. decisions-api §6.1, §6.6.
 * An application is pending until it is approved; it may be suspended and approved again. An installation connects it with a tenant; it is
 * active until somebody disconnects it, and active again with the next consent.
 */
import { type ApplicationStatus, type ApplicationType, type GrantType, type InstallationStatus, type Resource } from '../contract/oauth.ts';
import type { Environment, Scope } from '../contract/scopes.ts';
import type { ApiKeyRecord } from './keys.ts';
import type { ReadTx } from './tables.ts';

export interface ApplicationRecord {
  readonly id: string;
  /** `app_` and 22 letters and digits; public. */
  readonly clientId: string;
  readonly name: string;
  readonly type: ApplicationType;
  readonly redirectUris: readonly string[];
  readonly allowedScopes: readonly Scope[];
  readonly grantTypes: readonly GrantType[];
  readonly status: ApplicationStatus;
  /** SHA-256 of the secrets in force, hex, the newest first; none for a public application. */
  readonly secrets: readonly { readonly hash: string; readonly expiresAt: string | null }[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface InstallationRecord {
  readonly id: string;
  readonly applicationId: string;
  readonly tenantId: string;
  readonly grantedScopes: readonly Scope[];
  /** Of the keys that the application obtains. */
  readonly environment: Environment | null;
  readonly status: InstallationStatus;
  /** Who allowed it: an actor's id. */
  readonly approvedBy: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The only installation of an application in a tenant, whatever its status. */
export const installationIn = (tx: ReadTx, applicationId: string, tenantId: string): Promise<InstallationRecord | undefined> =>
  tx.installations.find('pair', applicationId, tenantId);

/**
 * A key as it counts at this moment: with the scopes that its application and installation still have. `disabled` says why the application
 * may do nothing at all. Keys made in the settings come back as they are.
 */
export async function effectiveKey(tx: ReadTx, key: ApiKeyRecord): Promise<{ key: ApiKeyRecord; disabled?: string }> {
  if (key.applicationId === null) return { key };
  const application = await tx.applications.get(key.applicationId);
  if (application?.status !== 'approved') return { key, disabled: `The application is ${application?.status ?? 'gone'}.` };
  const installation = key.installationId === null ? undefined : await tx.installations.get(key.installationId);
  if (installation?.status !== 'active') return { key, disabled: 'The application is no longer connected with this organization.' };
  const { allowedScopes } = application;
  const scopes = key.scopes.filter((scope) => allowedScopes.includes(scope) && installation.grantedScopes.includes(scope));
  return { key: scopes.length === key.scopes.length ? key : { ...key, scopes } };
}

/** Whether a key may be used at a resource. Tools are calls of the API, so a key for the tools serves there as well; keys made in the settings serve everywhere. */
export const isAudience = ({ audience }: ApiKeyRecord, resource: Resource): boolean =>
  audience === undefined || resource !== '/mcp' || audience.includes('') || audience.includes('/mcp');
