/** Admin handlers of partner applications. */
import type { Application, appOperations } from '../../contract/admin/apps.ts';
import type { Context } from '../../domain/kernel/context.ts';
import { getDistinctIds, getRowsById } from '../../domain/kernel/rows.ts';
import type { ApplicationRecord, InstallationRecord } from '../../domain/oauth/records.ts';
import { listInstallations } from '../../domain/oauth/installations.ts';
import {
  approveApplication,
  createApplication,
  deleteApplication,
  disconnectApplication,
  getApplication,
  recordApplicationChange,
  rotateClientSecret,
  suspendApplication,
  updateApplication,
} from '../../domain/oauth/applications.ts';
import type { ReadTx, Tx } from '../../domain/tables.ts';
import type { TenantRecord } from '../../domain/kernel/tenant.ts';
import { whereIn, whereEquals, toPageQuery, toPagination } from '../lists/pagination.ts';
import { type AdminCall, type AdminHandlers, resolveTenant, withoutReply, writeResolvedTenant, writeTenant } from './handler.ts';

export const appHandlers: AdminHandlers<typeof appOperations> = {
  async 'apps.list'({ services, query }) {
    const where = [whereIn('status', query.status), whereEquals('type', query.type)];
    return services.store.read('', async (tx) => {
      const { rows, total } = await tx.applications.listPage(toPageQuery(query, where));
      return { data: await presentApplications(tx, rows), pagination: toPagination(query, total) };
    });
  },
  'apps.get': async ({ services, params }) =>
    services.store.read('', async (tx) => ({ data: await presentApplication(tx, await getApplication(tx, params.app)) })),
  async 'apps.create'(call) {
    const { tenant } = await resolveAuditTenant(call);
    return writeResolvedTenant(call, tenant, async (tx, context) => {
      const { application, clientSecret } = await createApplication(tx, context, call.body);
      return { data: await presentApplication(tx, application), clientSecret };
    });
  },
  'apps.update': (call) =>
    changeApplication(call, 'application.updated', (tx, context) => updateApplication(tx, context, call.params.app, call.body)),
  'apps.approve': (call) =>
    changeApplication(call, 'application.approved', (tx, context, isChosen) =>
      approveApplication(tx, context, call.params.app, call.body, isChosen),
    ),
  'apps.suspend': (call) =>
    changeApplication(call, 'application.suspended', (tx, context) => suspendApplication(tx, context, call.params.app)),
  async 'apps.disconnect'(call) {
    return writeTenant(call, async (tx, context) => ({
      data: await presentApplication(tx, await disconnectApplication(tx, context, call.params.app)),
    }));
  },
  async 'apps.rotate-secret'(call) {
    const { tenant } = await resolveAuditTenant(call);
    const rotated = await writeResolvedTenant(call, tenant, async (tx, context) => {
      const { application, clientSecret } = await rotateClientSecret(tx, context, call.params.app);
      return { data: await presentApplication(tx, application), clientSecret };
    });
    await recordInOtherTenants(call, tenant, rotated.data, 'application.secret_rotated');
    return rotated;
  },
  async 'apps.delete'(call) {
    const { tenant } = await resolveAuditTenant(call);
    const data = await writeResolvedTenant(call, tenant, async (tx, context) => {
      const before = await presentApplication(tx, await getApplication(tx, call.params.app));
      await deleteApplication(tx, context, call.params.app);
      return before;
    });
    await recordInOtherTenants(call, tenant, data, 'application.deleted');
  },
};

type AppCall = Pick<AdminCall<unknown>, 'services' | 'requestId' | 'replies'> & { readonly query: { readonly tenant?: string } };

/** Changes an application. What `work` has changed is also recorded in the other tenants that it is connected to. */
async function changeApplication(
  call: AppCall & { readonly params: { readonly app: string } },
  action: string,
  work: (tx: Tx, context: Context, isChosen: boolean) => Promise<ApplicationRecord>,
): Promise<{ data: Application }> {
  const { tenant, isChosen } = await resolveAuditTenant(call);
  let before = '';
  const { data } = await writeResolvedTenant(call, tenant, async (tx, context) => {
    before = (await getApplication(tx, call.params.app)).updatedAt;
    return { data: await presentApplication(tx, await work(tx, context, isChosen)) };
  });
  if (data.updatedAt !== before) await recordInOtherTenants(call, tenant, data, action);
  return { data };
}

/**
 * The tenant whose audit trail records a change of the registry, which itself belongs to no tenant: the requested one, the only one, or
 * the oldest. `isChosen` is false for the last.
 */
async function resolveAuditTenant({ services, query }: AppCall): Promise<{ tenant: TenantRecord; isChosen: boolean }> {
  const { rows, more } = await services.store.read('', (tx) => tx.tenants.listAfter({ orderBy: 'created_at', limit: 1 }));
  const [oldest] = rows;
  if (query.tenant !== undefined || !oldest) return { tenant: await resolveTenant(services, query.tenant), isChosen: true };
  return { tenant: oldest, isChosen: !more };
}

/** Records the change in the audit trail of every other tenant that the application is connected to. */
async function recordInOtherTenants(call: AppCall, recordedTenant: TenantRecord, application: Application, action: string): Promise<void> {
  for (const { tenantId, status } of application.installations) {
    if (tenantId === recordedTenant.id || status !== 'active') continue;
    const tenant = await call.services.store.read('', (tx) => tx.tenants.get(tenantId));
    if (tenant)
      await writeResolvedTenant(withoutReply(call), tenant, (tx, context) => recordApplicationChange(tx, context, action, application));
  }
}

/** An application in responses, without its secrets. */
async function presentApplication(tx: ReadTx, record: ApplicationRecord): Promise<Application> {
  const [application] = await presentApplications(tx, [record]);
  return application!;
}

async function presentApplications(tx: ReadTx, records: readonly ApplicationRecord[]): Promise<Application[]> {
  const installations = await listInstallations(tx, ...records.map(({ id }) => id));
  const tenants = await getRowsById(tx.tenants, getDistinctIds(installations.map(({ tenantId }) => tenantId)));
  const presentInstallation = ({ applicationId: _app, grantedScopes, ...rest }: InstallationRecord) => ({
    ...rest,
    tenant: tenants.get(rest.tenantId)?.slug ?? '',
    scopes: grantedScopes,
  });
  return records.map(({ id, clientId, name, type, status, redirectUris, allowedScopes, grantTypes, createdAt, updatedAt }) => ({
    id,
    clientId,
    name,
    type,
    status,
    redirectUris,
    scopes: allowedScopes,
    grantTypes,
    installations: installations.filter(({ applicationId }) => applicationId === id).map(presentInstallation),
    createdAt,
    updatedAt,
  }));
}
