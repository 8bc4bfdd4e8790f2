/** Installations: connections of applications to tenants, created by approval or by consent. */
import { type Environment, type Scope, SCOPES } from '../../contract/scopes.ts';
import type { ApplicationRecord, InstallationRecord } from './records.ts';
import { recordChange } from '../events/changes.ts';
import { type Context, getNextTimestamp } from '../kernel/context.ts';
import { listUnrevokedKeys, markKeyRevoked } from './issued-keys.ts';
import type { ReadTx, Tx } from '../tables.ts';

const MAX_INSTALLATIONS_READ = 100_000;

/** The only installation of an application in a tenant, whatever its status. */
export const findInstallation = (tx: ReadTx, applicationId: string, tenantId: string): Promise<InstallationRecord | undefined> =>
  tx.installations.findUnique('pair', applicationId, tenantId);

/** Every installation of these applications, oldest first. */
export async function listInstallations(tx: ReadTx, ...applicationIds: readonly string[]): Promise<readonly InstallationRecord[]> {
  if (applicationIds.length === 0) return [];
  const where = [{ field: 'applicationId', in: applicationIds }];
  return (await tx.installations.listAfter({ where, limit: MAX_INSTALLATIONS_READ })).rows;
}

interface Grant {
  readonly scopes: readonly Scope[];
  /** Undefined keeps the current environment; development for a new installation. */
  readonly environment?: Environment | null | undefined;
  /** Whether the scopes replace the granted ones. A consent only adds scopes, so that keys from earlier consents keep theirs. */
  readonly replacesScopes: boolean;
}

/**
 * Connects an application to the tenant of the context, with an `integration.connected` event for each approval or consent.
 * Keys from before a disconnection are revoked, so that reconnecting does not reactivate them.
 */
export async function connectApplication(
  tx: Tx,
  context: Context,
  application: ApplicationRecord,
  { scopes, environment, replacesScopes }: Grant,
): Promise<InstallationRecord> {
  const { tenant, now, actor } = context;
  const before = await findInstallation(tx, application.id, tenant.id);
  if (before?.status === 'revoked') {
    for (const key of await listUnrevokedKeys(tx, { installationId: before.id, applicationId: application.id }))
      await markKeyRevoked(tx, now, key);
  }
  const keptScopes = replacesScopes || before?.status !== 'active' ? [] : before.grantedScopes;
  const after: InstallationRecord = {
    id: before?.id ?? context.newId(),
    applicationId: application.id,
    tenantId: tenant.id,
    grantedScopes: SCOPES.filter((scope) => scopes.includes(scope) || keptScopes.includes(scope)),
    environment: environment === undefined ? (before ? before.environment : 'development') : environment,
    status: 'active',
    approvedBy: actor.id,
    createdAt: before?.createdAt ?? now.toISOString(),
    updatedAt: getNextTimestamp(now, before?.updatedAt),
  };
  await tx.installations.put(after);
  const data = { integration: { id: application.id, name: application.name }, scopes };
  await recordChange(tx, context, {
    action: 'integration.connected',
    resourceType: 'integration',
    resourceId: after.id,
    metadata: data,
    event: { name: 'integration.connected', resourceId: after.id, updatedAt: after.updatedAt, changes: [], data },
  });
  return after;
}
