/** The tenant that a copy is put into: made at the first pull, with a key of its own for the copying and one for the user. */
import { join } from 'node:path';
import type { Client } from '../../client/client.ts';
import { pagesOf } from '../../client/pages.ts';
import { readConfig, saveProfile } from '../../client/saved.ts';
import { createKey, revokeKey } from '../../contract/admin/keys.ts';
import { updateSite } from '../../contract/admin/sites.ts';
import { createTenant, getTenant, listTenants, type Tenant } from '../../contract/admin/tenants.ts';
import { setTier } from '../../contract/admin/tiers.ts';
import { TIER_MAX_PER_MINUTE } from '../../contract/limits.ts';
import type { ResultOf } from '../../contract/operation.ts';
import { ORDER_MODULES, getOrder, listOrders } from '../../contract/orders.ts';
import { listStockDocuments } from '../../contract/stock-documents.ts';
import { listStockLevels } from '../../contract/stock-levels.ts';
import { type Env, configDirectory, shortHash } from '../../contract/places.ts';
import { usage } from '../failure.ts';
import type { IdMap } from './id-map.ts';
import type { Origin, Rec } from './origin.ts';

/** The tier of the key that copies: a daemon on this machine need not be spared. */
const TIER = 'pull';

/** Where the map of a copy is kept: with the credentials, for it holds a key. */
export const idMapPath = (env: Env, source: string, organization: string, dataDir: string): string =>
  join(configDirectory(env), 'pulls', `${shortHash(`${source}\n${organization}\n${dataDir}`)}.ndjson`);

export interface CopyTenant {
  readonly tenant: Tenant;
  /** The secret of the key that copies. */
  readonly key: string;
  /** The profile that was made for it; null: it was there already. */
  readonly profile: string | null;
}

interface Parts {
  readonly admin: Client;
  readonly from: Origin;
  readonly ids: IdMap;
  readonly env: Env;
  readonly dataDir: string;
  /** `--tenant` */
  readonly wanted: string | undefined;
  readonly source: string;
  readonly organization: Rec;
}

export async function openCopyTenant(parts: Parts): Promise<CopyTenant> {
  const { admin, ids, wanted, source, organization } = parts;
  const known = ids.state;
  if (known && wanted !== undefined && wanted !== known.tenant)
    throw usage(`${source} was pulled into tenant ${known.tenant} before`, `leave --tenant out, or name that one`);
  const slug = known?.tenant ?? wanted ?? String(organization['slug']);
  const found = await findTenant(admin, slug);
  if (found && !known)
    throw usage(`there is a tenant ${slug} here that is no copy of ${source}`, 'choose a name for the copy with --tenant');
  if (found && known) return { tenant: found, key: await usableKey(parts, found), profile: null };
  const tenant = await makeTenant(parts, slug);
  await usableKey(parts, tenant);
  const profile = await saveUserKey(parts, tenant);
  return { tenant, key: ids.state?.key ?? '', profile };
}

async function findTenant(admin: Client, slug: string): Promise<Tenant | undefined> {
  for await (const { data } of pagesOf(admin, listTenants, {})) {
    const found = (data as readonly Tenant[]).find((tenant) => tenant.slug === slug);
    if (found) return (await admin.call(getTenant, { params: { tenant: slug } })).body.data;
  }
  return undefined;
}

async function makeTenant({ admin, from, organization }: Parts, slug: string): Promise<Tenant> {
  const currency = await currencyOf(from);
  const site = await defaultSiteOf(from);
  const body = { name: String(organization['name']), slug, plan: organization['plan'], ...(currency === undefined ? {} : { currency }) };
  // Levels there may be below zero, and orders are completed before the stock is put right.
  const tenant = ((await admin.perform(createTenant, { body: { ...body, negativeStock: 'allow' } })).body as { data: Tenant }).data;
  if (site !== undefined)
    await admin.perform(updateSite, { params: { site_id: tenant.defaultSiteId }, query: { tenant: slug }, body: { name: site } });
  return tenant;
}

/** Where orders post that name no site; nothing tells it but what such orders posted, else where most is kept. */
async function defaultSiteOf(from: Origin): Promise<string | undefined> {
  for await (const { rows } of from.pages(listStockDocuments, { query: { status: 'approved' } })) {
    for (const row of rows) {
      if (typeof row['orderId'] !== 'string') continue;
      const order = await from.one(getOrder, { params: { order_id: row['orderId'] } });
      if (order['siteId'] === null) return (row['site'] as { name: string }).name;
    }
    break;
  }
  const counts = new Map<string, number>();
  for await (const { rows } of from.pages(listStockLevels)) {
    for (const row of rows) {
      const { name } = row['site'] as { name: string };
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return [...counts].toSorted(([, one], [, other]) => other - one)[0]?.[0];
}

/** Only orders tell it. */
async function currencyOf(from: Origin): Promise<string | undefined> {
  for (const module of ORDER_MODULES) {
    for await (const { rows } of from.pages(listOrders, { query: { module } })) {
      const [first] = rows;
      if (first) return (await from.one(getOrder, { params: { order_id: first.id } }))['currency'] as string | undefined;
      break;
    }
  }
  return undefined;
}

async function makeKey(admin: Client, tenant: string, body: object): Promise<ResultOf<typeof createKey>> {
  const reply = await admin.perform(createKey, { query: { tenant }, body: { allScopes: true, ...body } });
  return reply.body;
}

/** The key of the pull that was cut off, or a new one. */
async function usableKey({ admin, ids, source, organization }: Parts, tenant: Tenant): Promise<string> {
  await admin.perform(setTier, { params: { tier: TIER }, body: { requestsPerMinute: TIER_MAX_PER_MINUTE } });
  const known = ids.state;
  if (known && known.key !== '' && known.tenant === tenant.slug) return known.key;
  const { data, secret } = await makeKey(admin, tenant.slug, { name: 'stockroom pull', rateLimitTier: TIER });
  ids.begin({ source, organization: String(organization['slug']), tenant: tenant.slug, key: secret, keyId: data.id });
  return secret;
}

/** The copy is whole: its key has done its work. */
export async function closeCopyTenant({ admin, ids }: Pick<Parts, 'admin' | 'ids'>): Promise<void> {
  const { state } = ids;
  if (!state || state.key === '') return;
  await admin.perform(revokeKey, { params: { key: state.keyId }, query: { tenant: state.tenant }, body: {} });
  ids.begin({ ...state, key: '', keyId: '' });
}

async function saveUserKey({ admin, env, dataDir }: Parts, { slug }: Tenant): Promise<string> {
  const { profiles } = readConfig(env);
  let name = slug;
  for (let count = 2; profiles[name] !== undefined; count += 1) name = `${slug}-${String(count)}`;
  const { secret } = await makeKey(admin, slug, { name: 'Copy', rateLimitTier: 'elevated' });
  saveProfile(env, name, { dataDir, tenant: slug }, secret);
  return name;
}
