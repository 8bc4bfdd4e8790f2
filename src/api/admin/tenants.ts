/** Admin handlers of tenants. */
import { setTimeout } from 'node:timers/promises';
import type {
  Tenant,
  createTenant as createOperation,
  tenantOperations,
  updateTenant as updateOperation,
} from '../../contract/admin/tenants.ts';
import { invalidField, notFound } from '../../domain/kernel/errors.ts';
import { createRecordedTenant, findTenant, updateTenant } from '../../domain/tenancy/tenants.ts';
import { StoreUnavailable } from '../../domain/kernel/ports.ts';
import type { TenantRecord } from '../../domain/kernel/tenant.ts';
import { assertAdjustable } from './clock.ts';
import { copyTenant, readTemplate } from './tenant-states/copy-tenant.ts';
import { followClock, presentTenantClock, toAheadMs } from './tenant-clock.ts';
import { removeTenant } from './tenant-states/tenant-rows.ts';
import { FIXTURES_STATE } from './tenant-states/tenant-states.ts';
import { whereEquals, toPageQuery, toPagination } from '../lists/pagination.ts';
import {
  type AdminCall,
  type AdminHandlers,
  type AdminServices,
  withoutReply,
  createContext,
  findRecentReply,
  writePartition,
  writeResolvedTenant,
  writeTenant,
} from './handler.ts';

const REMOVAL_RETRY_MS = 1_000;

export const tenantHandlers: AdminHandlers<typeof tenantOperations> = {
  async 'tenants.list'({ services, query }) {
    const { rows, total } = await services.store.read('', (tx) =>
      tx.tenants.listPage(toPageQuery(query, [whereEquals('isActive', query.is_active)])),
    );
    return { data: rows.map(presentTenant), pagination: toPagination(query, total) };
  },
  'tenants.get': async ({ services, params }) => ({ data: presentTenant(await getTenant(services, params.tenant)) }),
  async 'tenants.create'(call) {
    // The tenant of an earlier request has another id.
    await findRecentReply(call);
    const { body, services } = call;
    const id = services.newId();
    const { name, template, plan = 'standard', lease = false } = body;
    if (template !== undefined) return createCopy(call, id, template);
    if (lease) throw invalidField('/lease', 'lease is only allowed with a template', 'not_allowed');
    if (name === undefined) throw invalidField('/name', 'name is required', 'required');
    return writePartition(call, id, async (tx) => ({
      data: presentTenant(await createRecordedTenant(tx, id, createContext(call, tx), { ...body, name, plan })),
    }));
  },
  async 'tenants.update'(call) {
    const tenant = await findTenantOrReply(call);
    return writeResolvedTenant(call, tenant, async (tx, context) => ({ data: presentTenant(await updateTenant(tx, context, call.body)) }));
  },
  'organization.update': async (call) =>
    writeTenant(call, async (tx, context) => ({ data: presentTenant(await updateTenant(tx, context, call.body)) })),
  async 'tenants.reset'({ services, params, body }) {
    const tenant = await getTenant(services, params.tenant);
    await services.tenantStates.restore(tenant, body.to ?? FIXTURES_STATE);
    const restored = await getTenant(services, tenant.id);
    await followClock(services, tenant, restored);
    return { data: presentTenant(restored) };
  },
  async 'tenants.snapshot'({ services, params, body }) {
    const tenant = await getTenant(services, params.tenant);
    await services.tenantStates.save(tenant.id, body.name);
    return { data: presentTenant(tenant) };
  },
  'tenants.clock.show': async ({ services, params }) => ({ data: presentTenantClock(services, await getTenant(services, params.tenant)) }),
  async 'tenants.clock.move'(call) {
    const { services, params, body } = call;
    assertAdjustable(services.clock);
    const tenant = await getTenant(services, params.tenant);
    const clockAheadMs = toAheadMs(services, tenant, body);
    const moved = await writeResolvedTenant(withoutReply(call), tenant, async (tx, { tenant: { clockAheadMs: _before, ...current } }) => {
      const after = { ...current, ...(clockAheadMs !== 0 && { clockAheadMs }) };
      await tx.tenants.put(after);
      return after;
    });
    await followClock(services, tenant, moved);
    return { data: presentTenantClock(services, moved) };
  },
};

async function createCopy(call: AdminCall<typeof createOperation>, id: string, template: string) {
  const { services, body } = call;
  const state = await readTemplate(services.store, template);
  // The times of its rows are those of the clock of the template.
  services.clock.setAheadMs(id, state.tenant.clockAheadMs ?? 0);
  const reply = await writePartition(call, id, async (tx) => {
    const { copied, secret } = await copyTenant(tx, id, createContext(call, tx), state, body);
    services.tenantStates.keep(copied, FIXTURES_STATE);
    return { data: presentTenant(copied.tenant), secret };
  }).catch((error: unknown) => {
    services.clock.setAheadMs(id, 0);
    services.tenantStates.forget(id);
    throw error;
  });
  if (body.lease === true) {
    call.keepOpen();
    call.afterReply(() => {
      services.tenantStates.forget(id);
      void removeLeased(services, id);
    });
  }
  return reply;
}

/** Tries again as long as the store accepts no changes. A service that is closing removes the copy at its next start. */
async function removeLeased({ store, closing }: AdminServices, id: string): Promise<void> {
  for (;;) {
    try {
      return await removeTenant(store, id);
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || closing.aborted) return;
    }
    await setTimeout(REMOVAL_RETRY_MS, undefined, { signal: closing, ref: false }).catch(() => undefined);
  }
}

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

const presentTenant = ({ isLeased: _leased, clockAheadMs: _ahead, ...tenant }: TenantRecord): Tenant => tenant;
