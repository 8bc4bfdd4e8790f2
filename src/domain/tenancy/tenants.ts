/** Tenants: organizations with their settings. D-22. */
import type { TenantDraft, TenantPatch } from '../../contract/admin/tenants.ts';
import { DEFAULT_SITE } from '../../contract/admin/sites.ts';
import { SLUG_MAX_CHARS } from '../../contract/limits.ts';
import type { Plan } from '../../contract/scopes.ts';
import { diffFields, recordChange } from '../events/changes.ts';
import { type Context, getNextTimestamp } from '../kernel/context.ts';
import { duplicateValue, notFound } from '../kernel/errors.ts';
import { checkUnreferenced } from '../kernel/references.ts';
import { checkCurrency, checkTimezone, getCurrencyDecimals } from './locale.ts';
import { findFreeSlug, toSlug } from './slugs.ts';
import { DuplicateKey, type NewId } from '../kernel/ports.ts';
import { createCommonUnits } from '../catalog/units.ts';
import type { ReadTx, Tx } from '../tables.ts';
import { requireText } from '../kernel/text.ts';
import { canUseWebhooks, discardAllOpenDeliveries } from '../webhooks/endpoints.ts';
import type { TenantRecord } from '../kernel/tenant.ts';

export interface NewTenant extends TenantPatch {
  readonly name: string;
  readonly slug: string;
  readonly plan: Plan;
  /** Name and code of the default site. */
  readonly site?: { readonly name: string; readonly code: string };
}

type TenantFields = Omit<TenantRecord, 'id' | 'houseContactId' | 'createdAt' | 'updatedAt'>;
const FIELDS = [
  'name',
  'slug',
  'plan',
  'isActive',
  'currency',
  'currencyExponent',
  'timezone',
  'defaultLeadDays',
  'numberPrefixes',
  'negativeStock',
  'oversell',
  'fourEyes',
  'billingPeriod',
  'defaultSiteId',
] as const satisfies readonly (keyof TenantFields)[];

const DEFAULTS = {
  isActive: true,
  currency: 'EUR',
  currencyExponent: 2,
  timezone: 'UTC',
  defaultLeadDays: 7,
  numberPrefixes: {},
  negativeStock: 'block',
  oversell: 'allow',
  fourEyes: false,
  billingPeriod: 'monthly',
} as const satisfies Partial<TenantFields>;

/** The tenant with this slug or id. */
export async function findTenant(tx: ReadTx, slugOrId: string): Promise<TenantRecord | undefined> {
  return (await tx.tenants.findUnique('slug', slugOrId)) ?? (await tx.tenants.get(slugOrId));
}

/** A free slug derived from the name. */
export function findFreeTenantSlug(tx: ReadTx, name: string): Promise<string> {
  return findFreeSlug(
    toSlug(name, SLUG_MAX_CHARS, 'tenant'),
    SLUG_MAX_CHARS,
    async (slug) => (await tx.tenants.findUnique('slug', slug)) !== undefined,
  );
}

/**
 * Creates a tenant with its house contact, default site and common units, so that its first item can have a unit.
 * `id` is the new tenant's, in a transaction of any tenant. Records no change: that is up to the caller.
 */
export async function createTenant(tx: Tx, id: string, now: Date, newId: NewId, draft: NewTenant): Promise<TenantRecord> {
  const at = now.toISOString();
  const stamps = { createdAt: at, updatedAt: at };
  const blank = { ...DEFAULTS, name: '', slug: draft.slug, plan: draft.plan, defaultSiteId: newId() };
  const tenant: TenantRecord = { id, ...mergeFields(blank, draft), houseContactId: newId(), ...stamps };
  await putTenant(tx, tenant);
  await tx.contacts.put({
    id: tenant.houseContactId,
    name: tenant.name,
    email: '',
    phone: '',
    company: tenant.name,
    contactType: 'both',
    country: '',
    contactGroup: 'internal',
    isPrimaryContact: false,
    isActive: true,
    isHouse: true,
    ...stamps,
  });
  const site = draft.site ?? DEFAULT_SITE;
  await tx.sites.put({ id: tenant.defaultSiteId, ...site, address: '', isDefault: true, isActive: true, ...stamps });
  await tx.units.putMany(createCommonUnits(newId, at));
  return tenant;
}

/** `createTenant` with an audit row in the new tenant. A missing slug is derived from the name. */
export async function createRecordedTenant(
  tx: Tx,
  id: string,
  context: Omit<Context, 'tenant'>,
  draft: TenantDraft & Pick<NewTenant, 'site'>,
): Promise<TenantRecord> {
  const slug = draft.slug ?? (await findFreeTenantSlug(tx, draft.name));
  const tenant = await createTenant(tx, id, context.now, context.newId, { ...draft, slug });
  await recordChange(tx, { ...context, tenant }, { action: 'organization.created', resourceType: 'organization', resourceId: id });
  return tenant;
}

/** Updates the tenant of the context. */
export async function updateTenant(tx: Tx, context: Context, patch: TenantPatch): Promise<TenantRecord> {
  const before = await getOwnTenant(tx, context);
  const fields = mergeFields(before, patch);
  if (fields.currency !== before.currency) await checkCurrencyUnused(tx, before);
  return saveTenant(tx, context, before, fields);
}

/** 409 once orders or stock have values in the currency (D-3): nothing converts them. */
async function checkCurrencyUnused(tx: ReadTx, { currency }: TenantRecord): Promise<void> {
  const [orders, ledgerEntries] = await Promise.all([tx.orders.count(), tx.ledger.count()]);
  await checkUnreferenced(
    `currency ${currency}`,
    { orders: { count: orders }, ledgerEntries: { count: ledgerEntries } },
    'Their amounts are in it. Create another tenant for another currency.',
  );
}

/** Sets the default site of the tenant. `sites.ts` updates the sites themselves. */
export async function setDefaultSite(tx: Tx, context: Context, defaultSiteId: string): Promise<void> {
  const before = await getOwnTenant(tx, context);
  await saveTenant(tx, context, before, { ...before, defaultSiteId });
}

async function getOwnTenant(tx: ReadTx, { tenant: { id } }: Context): Promise<TenantRecord> {
  const tenant = await tx.tenants.get(id);
  if (!tenant) throw notFound('tenant', id);
  return tenant;
}

async function saveTenant(tx: Tx, context: Context, before: TenantRecord, fields: TenantFields): Promise<TenantRecord> {
  const changes = diffFields<TenantFields>(before, fields, FIELDS);
  if (Object.keys(changes).length === 0) return before;
  const tenant: TenantRecord = { ...before, ...fields, updatedAt: getNextTimestamp(context.now, before.updatedAt) };
  await putTenant(tx, tenant);
  const { name, slug, plan, updatedAt } = tenant;
  await recordChange(tx, context, {
    action: 'organization.updated',
    resourceType: 'organization',
    resourceId: tenant.id,
    changes,
    event: { name: 'organization.updated', resourceId: tenant.id, updatedAt, changes: Object.keys(changes), data: { name, slug, plan } },
  });
  // A downgrade takes effect immediately, also for this event.
  if (canUseWebhooks(before) && !canUseWebhooks(tenant)) await discardAllOpenDeliveries(tx, context.now);
  if (!canUseWebhooks(before) && canUseWebhooks(tenant)) await discardAllOpenDeliveries(tx, context.now, Number.MAX_SAFE_INTEGER);
  return tenant;
}

/** Throws 409 for the slug of another tenant. */
export async function putTenant(tx: Tx, tenant: TenantRecord): Promise<void> {
  try {
    await tx.tenants.put(tenant);
  } catch (error) {
    throw error instanceof DuplicateKey ? duplicateValue('slug', tenant.slug, error.existingId) : error;
  }
}

/** The settings after a change: an omitted one is unchanged. */
function mergeFields(before: TenantFields, patch: TenantPatch): TenantFields {
  const currency = patch.currency ?? before.currency;
  if (patch.currency !== undefined) checkCurrency(currency, '/currency');
  const ownDecimals = currency === before.currency ? before.currencyExponent : getCurrencyDecimals(currency);
  return {
    name: patch.name === undefined ? before.name : requireText(patch.name, '/name'),
    slug: patch.slug ?? before.slug,
    plan: patch.plan ?? before.plan,
    isActive: patch.isActive ?? before.isActive,
    currency,
    currencyExponent: patch.currencyExponent ?? ownDecimals,
    timezone: patch.timezone === undefined ? before.timezone : checkTimezone(patch.timezone, '/timezone'),
    defaultLeadDays: patch.defaultLeadDays ?? before.defaultLeadDays,
    numberPrefixes: mergePrefixes(before.numberPrefixes, patch.numberPrefixes ?? {}),
    negativeStock: patch.negativeStock ?? before.negativeStock,
    oversell: patch.oversell ?? before.oversell,
    fourEyes: patch.fourEyes ?? before.fourEyes,
    billingPeriod: patch.billingPeriod ?? before.billingPeriod,
    defaultSiteId: before.defaultSiteId,
  };
}

/** Null restores the default. */
function mergePrefixes(
  before: TenantRecord['numberPrefixes'],
  patch: Readonly<Record<string, string | null | undefined>>,
): Record<string, string> {
  const entries = Object.entries({ ...before, ...patch }).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
