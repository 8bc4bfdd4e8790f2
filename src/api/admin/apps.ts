import type { Application, appOperations } from '../../contract/admin/apps.ts';
import type { ApplicationRecord } from '../../domain/applications.ts';
import { installationsOf } from '../../domain/installations.ts';
import {
  approveApplication,
  createApplication,
  deleteApplication,
  disconnectApplication,
  getApplication,
  noteApplication,
  rotateSecret,
  suspendApplication,
  updateApplication,
} from '../../domain/registry.ts';
import type { ReadTx } from '../../domain/tables.ts';
import type { TenantRecord } from '../../domain/tenants.ts';
import { among, equal, pageQuery, paginationOf } from '../lists.ts';
import { type AdminCall, type AdminHandlers, type Plane, change, changeIn, chosenTenant } from './call.ts';

export const appHandlers: AdminHandlers<typeof appOperations> = {
  async 'apps.list'({ plane, query }) {
    const where = [among('status', query.status), equal('type', query.type)];
    return plane.store.read('', async (tx) => {
      const { rows, total } = await tx.applications.page(pageQuery(query, where));
      const data: Application[] = [];
      for (const row of rows) data.push(await present(tx, row));
      return { data, pagination: paginationOf(query, total) };
    });
  },
  async 'apps.get'({ plane, params }) {
    return plane.store.read('', async (tx) => ({ data: await present(tx, await getApplication(tx, params.app)) }));
  },
  async 'apps.create'(call) {
    const { tenant } = await recordedIn(call);
    return changeIn(call, tenant, async (tx, context) => {
      const { application, clientSecret } = await createApplication(tx, context, call.body);
      return { data: await present(tx, application), clientSecret };
    });
  },
  async 'apps.update'(call) {
    const { tenant } = await recordedIn(call);
    const { data, before } = await changeIn(call, tenant, async (tx, context) => {
      const { updatedAt } = await getApplication(tx, call.params.app);
      const after = await updateApplication(tx, context, call.params.app, call.body);
      return { data: await present(tx, after), before: updatedAt };
    });
    if (data.updatedAt !== before) await tellOthers(call, tenant, data, 'application.updated');
    return { data };
  },
  async 'apps.approve'(call) {
    const { tenant, isChosen } = await recordedIn(call);
    const data = await changeIn(call, tenant, async (tx, context) =>
      present(tx, await approveApplication(tx, context, call.params.app, call.body, isChosen)),
    );
    return { data };
  },
  async 'apps.suspend'(call) {
    const { tenant } = await recordedIn(call);
    const { data, was } = await changeIn(call, tenant, async (tx, context) => {
      const { status } = await getApplication(tx, call.params.app);
      return { data: await present(tx, await suspendApplication(tx, context, call.params.app)), was: status };
    });
    if (was !== data.status) await tellOthers(call, tenant, data, 'application.suspended');
    return { data };
  },
  async 'apps.disconnect'(call) {
    return { data: await change(call, async (tx, context) => present(tx, await disconnectApplication(tx, context, call.params.app))) };
  },
  async 'apps.rotate-secret'(call) {
    const { tenant } = await recordedIn(call);
    return changeIn(call, tenant, async (tx, context) => {
      const { application, clientSecret } = await rotateSecret(tx, context, call.params.app);
      return { data: await present(tx, application), clientSecret };
    });
  },
  async 'apps.delete'(call) {
    const { tenant } = await recordedIn(call);
    const data = await changeIn(call, tenant, async (tx, context) => {
      const before = await present(tx, await getApplication(tx, call.params.app));
      await deleteApplication(tx, context, call.params.app);
      return before;
    });
    await tellOthers(call, tenant, data, 'application.deleted');
  },
};

type Asked = Pick<AdminCall<unknown>, 'plane' | 'requestId'> & { readonly query: { readonly tenant?: string } };

/**
 * The registry belongs to no tenant, audit rows do: a change is recorded in the tenant that was chosen, the only one, or the oldest.
 * `isChosen`: it was one of the first two.
 */
async function recordedIn({ plane, query }: Asked): Promise<{ tenant: TenantRecord; isChosen: boolean }> {
  const { rows, more } = await plane.store.read('', (tx) => tx.tenants.after({ orderBy: 'created_at', limit: 1 }));
  const [oldest] = rows;
  if (query.tenant !== undefined || !oldest) return { tenant: await chosenTenant(plane, query.tenant), isChosen: true };
  return { tenant: oldest, isChosen: !more };
}

/** Every other tenant that the application is connected with finds the change in its own audit trail too. */
async function tellOthers(call: Asked, told: TenantRecord, application: Application, action: string): Promise<void> {
  for (const { tenantId, status } of application.installations) {
    if (tenantId === told.id || status !== 'active') continue;
    const tenant = await tenantOf(call.plane, tenantId);
    if (tenant) await changeIn(call, tenant, (tx, context) => noteApplication(tx, context, action, application));
  }
}

const tenantOf = (plane: Plane, id: string): Promise<TenantRecord | undefined> => plane.store.read('', (tx) => tx.tenants.get(id));

/** Without its secrets. */
async function present(tx: ReadTx, record: ApplicationRecord): Promise<Application> {
  const { id, clientId, name, type, status, redirectUris, allowedScopes, grantTypes, createdAt, updatedAt } = record;
  const installations: Application['installations'][number][] = [];
  for (const { applicationId: _app, grantedScopes, ...rest } of await installationsOf(tx, id)) {
    installations.push({ ...rest, tenant: (await tx.tenants.get(rest.tenantId))?.slug ?? '', scopes: grantedScopes });
  }
  return { id, clientId, name, type, status, redirectUris, scopes: allowedScopes, grantTypes, installations, createdAt, updatedAt };
}
