/** Where an application is installed, and how it gets there: by approval in the settings, or by consent. */
import type { Environment, Scope } from '../contract/scopes.ts';
import { SCOPES } from '../contract/scopes.ts';
import { type ApplicationRecord, type InstallationRecord, installationIn } from './applications.ts';
import { note } from './changes.ts';
import { type Context, nextTimestamp } from './context.ts';
import { liveKeysOf, revokeIssued } from './issued-keys.ts';
import type { ReadTx, Tx } from './tables.ts';

const INSTALLATIONS_READ = 100_000;

/** Every installation of an application, the oldest first. */
export async function installationsOf(tx: ReadTx, applicationId: string): Promise<readonly InstallationRecord[]> {
  const { rows } = await tx.installations.after({ where: [{ field: 'applicationId', equals: applicationId }], limit: INSTALLATIONS_READ });
  return rows;
}

interface Grant {
  readonly scopes: readonly Scope[];
  /** Undefined: as before, else development. */
  readonly environment?: Environment | null | undefined;
  /** The scopes replace those of before; a consent only adds to them, because earlier keys were allowed for themselves. */
  readonly exactly: boolean;
}

/**
 * Connects an application with the tenant of the context: `integration.connected`, each time somebody allows it.
 * Keys from before a disconnection stay dead: nobody allowed those anew.
 */
export async function connect(
  tx: Tx,
  context: Context,
  application: ApplicationRecord,
  { scopes, environment, exactly }: Grant,
): Promise<InstallationRecord> {
  const { tenant, now, actor } = context;
  const before = await installationIn(tx, application.id, tenant.id);
  if (before?.status === 'revoked') {
    for (const key of await liveKeysOf(tx, { installationId: before.id, applicationId: application.id })) await revokeIssued(tx, now, key);
  }
  const kept = exactly || before?.status !== 'active' ? [] : before.grantedScopes;
  const after: InstallationRecord = {
    id: before?.id ?? context.newId(),
    applicationId: application.id,
    tenantId: tenant.id,
    grantedScopes: SCOPES.filter((scope) => scopes.includes(scope) || kept.includes(scope)),
    environment: environment === undefined ? (before ? before.environment : 'development') : environment,
    status: 'active',
    approvedBy: actor.id,
    createdAt: before?.createdAt ?? now.toISOString(),
    updatedAt: nextTimestamp(now, before?.updatedAt),
  };
  await tx.installations.put(after);
  const data = { integration: { id: application.id, name: application.name }, scopes };
  await note(tx, context, {
    action: 'integration.connected',
    resourceType: 'integration',
    resourceId: after.id,
    metadata: data,
    event: { name: 'integration.connected', resourceId: after.id, changes: [], data },
  });
  return after;
}
