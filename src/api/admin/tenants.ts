import type { Tenant, tenantOperations } from '../../contract/admin/tenants.ts';
import { notFound } from '../../domain/errors.ts';
import { type TenantRecord, addTenant, findTenant, updateTenant } from '../../domain/tenants.ts';
import { equal, pageQuery, paginationOf } from '../lists.ts';
import { type AdminHandlers, type Plane, change, changeIn, contextOf } from './call.ts';

export const tenantHandlers: AdminHandlers<typeof tenantOperations> = {
  async 'tenants.list'({ plane, query }) {
    const { rows, total } = await plane.store.read('', (tx) => tx.tenants.page(pageQuery(query, [equal('isActive', query.is_active)])));
    return { data: rows.map(present), pagination: paginationOf(query, total) };
  },
  async 'tenants.get'({ plane, params }) {
    return { data: present(await tenantOf(plane, params.tenant)) };
  },
  async 'tenants.create'(call) {
    const id = call.plane.newId();
    return { data: present(await call.plane.store.transact(id, (tx) => addTenant(tx, id, contextOf(call), call.body))) };
  },
  async 'tenants.update'(call) {
    const tenant = await tenantOf(call.plane, call.params.tenant);
    return { data: present(await changeIn(call, tenant, (tx, context) => updateTenant(tx, context, call.body))) };
  },
  async 'organization.update'(call) {
    return { data: present(await change(call, (tx, context) => updateTenant(tx, context, call.body))) };
  },
};

async function tenantOf({ store }: Plane, slugOrId: string): Promise<TenantRecord> {
  const tenant = await store.read('', (tx) => findTenant(tx, slugOrId));
  if (!tenant) throw notFound('tenant', slugOrId);
  return tenant;
}

/** The record is its own wire form. */
const present = (tenant: TenantRecord): Tenant => tenant;
