/**
 * The tenant of a copy. The first pull creates it with two keys: one for copying and one for the user. Each step is recorded in the id map, so
 * that a pull that was interrupted between them is completed by the next. A tenant that is gone is created again, with nothing copied.
 */
import { join } from 'node:path';
import type { Client } from '../../client/client.ts';
import { iteratePages } from '../../client/lists/pages.ts';
import { saveTenantKey } from '../../client/settings/profiles.ts';
import { type ApiKey, createKey, revokeKey } from '../../contract/admin/keys.ts';
import { updateSite } from '../../contract/admin/sites.ts';
import { createTenant, getTenant, listTenants, type Tenant } from '../../contract/admin/tenants.ts';
import { setTier } from '../../contract/admin/tiers.ts';
import { TIER_MAX_PER_MINUTE } from '../../contract/limits.ts';
import { ORDER_MODULES, getOrder, listOrders } from '../../contract/resources/orders.ts';
import { listStockDocuments } from '../../contract/resources/stock-documents.ts';
import { listStockLevels } from '../../contract/resources/stock-levels.ts';
import { type Env, getConfigDirectory, hashPath } from '../../platform/local-paths.ts';
import { Failure, usageError } from '../errors/failure.ts';
import type { IdMap, PullState } from './id-map.ts';
import type { SourceReader, SourceRecord } from './source.ts';

/** The rate-limit tier of the key for copying, which is as high as possible. */
const TIER = 'pull';

/** Returns the path of the id map. It is stored with the credentials, because it contains a key. */
export const getIdMapPath = (env: Env, source: string, organization: string, dataDir: string): string =>
  join(getConfigDirectory(env), 'pulls', `${hashPath(`${source}\n${organization}\n${dataDir}`)}.ndjson`);

interface TargetTenantOptions {
  readonly admin: Client;
  readonly from: SourceReader;
  readonly ids: IdMap;
  readonly env: Env;
  readonly dataDir: string;
  /** `--tenant` */
  readonly requestedSlug: string | undefined;
  /** Whether a tenant that does not exist is created. */
  readonly mayCreate: boolean;
  readonly source: string;
  readonly organization: SourceRecord;
}

/** Returns the secret of the key for copying, and the profile that was created for it; null if it existed before. */
export async function openTargetTenant(options: TargetTenantOptions) {
  const { admin, ids, requestedSlug, mayCreate, source, organization } = options;
  const saved = ids.state;
  if (saved && requestedSlug !== undefined && requestedSlug !== saved.tenant)
    throw usageError(`${source} was already pulled into tenant ${saved.tenant}`, `Omit --tenant, or pass --tenant ${saved.tenant}`);
  const slug = saved?.tenant ?? requestedSlug ?? String(organization['slug']);
  const found = await findTenant(admin, slug);
  // With an empty id, a pull was interrupted while it created the tenant.
  const isCopy = saved !== undefined && ['', undefined, found?.id].includes(saved.tenantId);
  if (found && !isCopy)
    throw usageError(`Tenant ${slug} exists and is not a copy of ${source}`, 'Choose another slug for the copy with --tenant');
  if (!found && !mayCreate) throw usageError(`Tenant ${slug}, the copy of ${source}, no longer exists`, 'Omit the flag to copy it again');
  if (!found) {
    ids.clear();
    const state = { source, organization: String(organization['slug']), tenant: slug, tenantId: '', profile: null, key: '', keyId: '' };
    ids.saveState(state);
  }
  const tenant = found && saved?.tenantId !== '' ? found : await createTargetTenant(options, slug, found);
  const key = await ensureCopyKey(options, tenant);
  return { tenant, key, profile: await ensureProfile(options, tenant) };
}

/** The state, which has been saved. */
function getState({ state }: IdMap): PullState {
  if (!state) throw new TypeError('the state is saved first');
  return state;
}

async function findTenant(admin: Client, slug: string): Promise<Tenant | undefined> {
  for await (const { data } of iteratePages(admin, listTenants, {})) {
    const found = (data as readonly Tenant[]).find((tenant) => tenant.slug === slug);
    if (found) return (await admin.call(getTenant, { params: { tenant: slug } })).body.data;
  }
  return undefined;
}

/** `created`: the tenant, if only the rest was interrupted. */
async function createTargetTenant(options: TargetTenantOptions, slug: string, created: Tenant | undefined): Promise<Tenant> {
  const { admin, from, ids, organization } = options;
  const currency = await findCurrency(from);
  const site = await findDefaultSite(from);
  const body = { name: String(organization['name']), slug, plan: organization['plan'], ...(currency === undefined ? {} : { currency }) };
  // Remote levels may be negative, and orders are completed before the stock is copied.
  const tenant = created ?? (await admin.perform(createTenant, { body: { ...body, negativeStock: 'allow' } })).body.data;
  if (site !== undefined)
    await admin.perform(updateSite, { params: { site_id: tenant.defaultSiteId }, query: { tenant: slug }, body: { name: site } });
  ids.saveState({ ...getState(ids), tenantId: tenant.id });
  return tenant;
}

/** Finds the default site from the stock documents of orders without a site; otherwise the site with the most levels. */
async function findDefaultSite(from: SourceReader): Promise<string | undefined> {
  for await (const { rows } of from.iteratePages(listStockDocuments, { query: { status: 'approved' } })) {
    for (const row of rows) {
      if (typeof row['orderId'] !== 'string') continue;
      const order = await from.getOne(getOrder, { params: { order_id: row['orderId'] } });
      if (order['siteId'] === null) return (row['site'] as { name: string }).name;
    }
    break;
  }
  const counts = new Map<string, number>();
  for await (const { rows } of from.iteratePages(listStockLevels)) {
    for (const row of rows) {
      const { name } = row['site'] as { name: string };
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return [...counts].toSorted(([, one], [, other]) => other - one)[0]?.[0];
}

/** Finds the currency, which only orders contain. */
async function findCurrency(from: SourceReader): Promise<string | undefined> {
  for (const module of ORDER_MODULES) {
    for await (const { rows } of from.iteratePages(listOrders, { query: { module } })) {
      const [first] = rows;
      if (first) return (await from.getOne(getOrder, { params: { order_id: first.id } }))['currency'] as string | undefined;
      break;
    }
  }
  return undefined;
}

async function createTenantKey(admin: Client, tenant: string, body: object): Promise<{ data: ApiKey; secret: string }> {
  const { data, secret } = (await admin.perform(createKey, { query: { tenant }, body: { allScopes: true, ...body } })).body;
  if (secret !== undefined) return { data, secret };
  throw new Failure('SECRET_LOST', `The reply with the secret of key ${data.prefix} was lost`, {
    hint: `Revoke the key with \`stockroom keys revoke ${data.prefix}\`, and try again`,
  });
}

/** Returns the key of an interrupted pull, or creates one. */
async function ensureCopyKey({ admin, ids }: TargetTenantOptions, { slug }: Tenant): Promise<string> {
  await admin.perform(setTier, { params: { tier: TIER }, body: { requestsPerMinute: TIER_MAX_PER_MINUTE } });
  const state = getState(ids);
  if (state.key !== '') return state.key;
  const { data, secret } = await createTenantKey(admin, slug, { name: 'stockroom pull', rateLimitTier: TIER });
  ids.saveState({ ...state, key: secret, keyId: data.id });
  return secret;
}

/** Revokes the key for copying when the copy is complete. */
export async function revokeCopyKey({ admin, ids }: Pick<TargetTenantOptions, 'admin' | 'ids'>): Promise<void> {
  const { state } = ids;
  if (!state || state.key === '') return;
  await admin.perform(revokeKey, { params: { key: state.keyId }, query: { tenant: state.tenant }, body: {} });
  ids.saveState({ ...state, key: '', keyId: '' });
}

/** Saves a profile with a key for the user, unless there is one. Returns its name if it is new. */
async function ensureProfile({ admin, ids, env, dataDir }: TargetTenantOptions, { slug }: Tenant): Promise<string | null> {
  const state = getState(ids);
  if (state.profile !== null) return null;
  const { secret } = await createTenantKey(admin, slug, { name: 'Copy', rateLimitTier: 'elevated' });
  const profile = saveTenantKey(env, { dataDir, tenant: slug, apiKey: secret });
  ids.saveState({ ...state, profile });
  return profile;
}
