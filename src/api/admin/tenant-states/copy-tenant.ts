/** Creates a tenant as a copy of another one: with its rows, settings of its own, and a key of its own. */
import type { CreateTenantBody } from '../../../contract/admin/tenants.ts';
import { DEFAULT_TIER } from '../../../contract/limits.ts';
import { SCOPES } from '../../../contract/scopes.ts';
import { recordChange } from '../../../domain/events/changes.ts';
import type { Context } from '../../../domain/kernel/context.ts';
import { notFound } from '../../../domain/kernel/errors.ts';
import type { TenantRecord } from '../../../domain/kernel/tenant.ts';
import type { StockroomStore, Tx } from '../../../domain/tables.ts';
import { createKey } from '../../../domain/tenancy/api-keys.ts';
import { findFreeTenantSlug, findTenant, updateTenant } from '../../../domain/tenancy/tenants.ts';
import { type TenantState, copyRows, readCopyable } from './tenant-rows.ts';

/** The state of the tenant with this slug or id. */
export async function readTemplate(store: StockroomStore, slugOrId: string): Promise<TenantState> {
  const tenant = await store.read('', (tx) => findTenant(tx, slugOrId));
  const state = tenant && (await readCopyable(store, tenant.id));
  if (!state) throw notFound('tenant', slugOrId);
  return state;
}

/** Runs in a transaction of the tenant `id`. Returns the state of the copy, and its key. */
export async function copyTenant(
  tx: Tx,
  id: string,
  context: Omit<Context, 'tenant'>,
  state: TenantState,
  { template: _t, lease = false, ...settings }: CreateTenantBody,
): Promise<{ copied: TenantState; secret: string }> {
  const { keys } = state;
  const { isLeased: _l, ...base } = state.tenant;
  const at = context.now.toISOString();
  const name = settings.name ?? base.name;
  const slug = settings.slug ?? (await findFreeTenantSlug(tx, base.slug));
  const copy: TenantRecord = { ...base, id, name, slug, createdAt: at, updatedAt: at, ...(lease && { isLeased: true as const }) };
  const rows = await copyRows(tx, state, copy, tx.newId);
  const own = { ...context, tenant: copy };
  await recordChange(tx, own, {
    action: 'organization.created',
    resourceType: 'organization',
    resourceId: id,
    metadata: { template: base.slug },
  });
  const tenant = await updateTenant(tx, { ...context, tenant: copy }, settings);
  const draft = {
    tenantId: id,
    name: 'copy',
    scopes: SCOPES,
    environment: 'development',
    rateLimitTier: keys[0]?.rateLimitTier ?? DEFAULT_TIER,
  } as const;
  const { key, secret } = await createKey(tx, context.now, tx.newId, draft);
  return { copied: { tenant, keys: [key], rows }, secret };
}
