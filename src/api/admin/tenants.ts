/** Admin handlers of tenants. */
import type { Tenant, tenantOperations } from '../../contract/admin/tenants.ts';
import { notFound } from '../../domain/kernel/errors.ts';
import { createRecordedTenant, findTenant, updateTenant } from '../../domain/tenancy/tenants.ts';
import type { TenantRecord } from '../../domain/kernel/tenant.ts';
import { whereEquals, toPageQuery, toPagination } from '../pagination.ts';
import { type AdminHandlers, type AdminServices, changeTenant, changeInTenant, createContext } from './handler.ts';

export const tenantHandlers: AdminHandlers<typeof tenantOperations> = {
  async 'tenants.list'({ services, query }) {
    const { rows, total } = await services.store.read('', (tx) =>
      tx.tenants.listPage(toPageQuery(query, [whereEquals('isActive', query.is_active)])),
    );
    return { data: rows.map(presentTenant), pagination: toPagination(query, total) };
  },
  async 'tenants.get'({ services, params }) {
    return { data: presentTenant(await getTenant(services, params.tenant)) };
  },
  async 'tenants.create'(call) {
    const id = call.services.newId();
    return {
      data: presentTenant(await call.services.store.transact(id, (tx) => createRecordedTenant(tx, id, createContext(call, tx), call.body))),
    };
  },
  async 'tenants.update'(call) {
    const tenant = await getTenant(call.services, call.params.tenant);
    return { data: presentTenant(await changeInTenant(call, tenant, (tx, context) => updateTenant(tx, context, call.body))) };
  },
  async 'organization.update'(call) {
    return { data: presentTenant(await changeTenant(call, (tx, context) => updateTenant(tx, context, call.body))) };
  },
};

async function getTenant({ store }: AdminServices, slugOrId: string): Promise<TenantRecord> {
  const tenant = await store.read('', (tx) => findTenant(tx, slugOrId));
  if (!tenant) throw notFound('tenant', slugOrId);
  return tenant;
}

/** The stored record has exactly the fields of the wire form. */
const presentTenant = (tenant: TenantRecord): Tenant => tenant;
