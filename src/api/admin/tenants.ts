/** Admin handlers of tenants. */
import type { Tenant, tenantOperations, updateTenant as updateOperation } from '../../contract/admin/tenants.ts';
import { notFound } from '../../domain/kernel/errors.ts';
import { createRecordedTenant, findTenant, updateTenant } from '../../domain/tenancy/tenants.ts';
import type { TenantRecord } from '../../domain/kernel/tenant.ts';
import { whereEquals, toPageQuery, toPagination } from '../pagination.ts';
import {
  type AdminCall,
  type AdminHandlers,
  type AdminServices,
  createContext,
  findRecentReply,
  writeIn,
  writeInTenant,
  writeTenant,
} from './handler.ts';

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
    // The tenant of an earlier request has another id.
    await findRecentReply(call);
    const id = call.services.newId();
    return writeIn(call, id, async (tx) => ({
      data: presentTenant(await createRecordedTenant(tx, id, createContext(call, tx), call.body)),
    }));
  },
  async 'tenants.update'(call) {
    const tenant = await findTenantOrReply(call);
    return writeInTenant(call, tenant, async (tx, context) => ({ data: presentTenant(await updateTenant(tx, context, call.body)) }));
  },
  async 'organization.update'(call) {
    return writeTenant(call, async (tx, context) => ({ data: presentTenant(await updateTenant(tx, context, call.body)) }));
  },
};

/** The tenant of the path. An earlier request with the same idempotency key may have changed its slug. */
async function findTenantOrReply(call: AdminCall<typeof updateOperation>): Promise<TenantRecord> {
  const tenant = await call.services.store.read('', (tx) => findTenant(tx, call.params.tenant));
  if (tenant) return tenant;
  await findRecentReply(call);
  throw notFound('tenant', call.params.tenant);
}

async function getTenant({ store }: AdminServices, slugOrId: string): Promise<TenantRecord> {
  const tenant = await store.read('', (tx) => findTenant(tx, slugOrId));
  if (!tenant) throw notFound('tenant', slugOrId);
  return tenant;
}

/** The stored record has exactly the fields of the wire form. */
const presentTenant = (tenant: TenantRecord): Tenant => tenant;
