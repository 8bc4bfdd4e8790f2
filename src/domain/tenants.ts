/** Tenants: the organization with its settings, and who acts in it. D-22. */
import type { NEGATIVE_STOCK, OVERSELL, TenantDraft, TenantPatch } from '../contract/admin/tenants.ts';
import type { ActorType } from '../contract/audit.ts';
import { SLUG_MAX_CHARS } from '../contract/limits.ts';
import type { Plan } from '../contract/scopes.ts';
import type { BILLING_PERIODS } from '../contract/usage.ts';
import { differences, note } from './changes.ts';
import { type Context, nextTimestamp } from './context.ts';
import { duplicateValue, notFound } from './errors.ts';
import { checkCurrency, checkTimezone, currencyDecimals } from './locale.ts';
import { firstFree, slugOf } from './made-names.ts';
import { DuplicateKey, type NewId } from './ports.ts';
import { commonUnits } from './units-settings.ts';
import type { ReadTx, Tx } from './tables.ts';
import { requiredText } from './text.ts';
import { mayUseWebhooks, silenceWebhooks } from './webhooks.ts';

export interface Actor {
  readonly type: ActorType;
  readonly id: string;
}

export interface TenantRecord {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly plan: Plan;
  readonly isActive: boolean;
  /** ISO 4217, with the number of decimals of its minor unit. */
  readonly currency: string;
  readonly currencyExponent: number;
  /** IANA name. */
  readonly timezone: string;
  readonly defaultLeadDays: number;
  /** Prefixes of generated numbers by order module or document type; absent ones have the default (D-4). */
  readonly numberPrefixes: Readonly<Record<string, string>>;
  readonly negativeStock: (typeof NEGATIVE_STOCK)[number];
  readonly oversell: (typeof OVERSELL)[number];
  readonly fourEyes: boolean;
  readonly billingPeriod: (typeof BILLING_PERIODS)[number];
  /** The tenant's own company as a contact (D-3). */
  readonly houseContactId: string;
  readonly defaultSiteId: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

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
  return (await tx.tenants.find('slug', slugOrId)) ?? (await tx.tenants.get(slugOrId));
}

/** A slug nobody has, made from the name. */
export function freeSlug(tx: ReadTx, name: string): Promise<string> {
  return firstFree(
    slugOf(name, SLUG_MAX_CHARS, 'tenant'),
    SLUG_MAX_CHARS,
    async (slug) => (await tx.tenants.find('slug', slug)) !== undefined,
  );
}

/**
 * A tenant with its house contact, default site and common units, so that its first item can have a unit.
 * The transaction may be bound to any tenant id: the new one is `id`. Notes nothing: whoever asked for the tenant does.
 */
export async function createTenant(tx: Tx, id: string, now: Date, newId: NewId, draft: NewTenant): Promise<TenantRecord> {
  const at = now.toISOString();
  const stamps = { createdAt: at, updatedAt: at };
  const blank = { ...DEFAULTS, name: '', slug: draft.slug, plan: draft.plan, defaultSiteId: newId() };
  const tenant: TenantRecord = { id, ...merge(blank, draft), houseContactId: newId(), ...stamps };
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
  const site = draft.site ?? { name: 'Main', code: 'MAIN' };
  await tx.sites.put({ id: tenant.defaultSiteId, ...site, address: '', isDefault: true, isActive: true, ...stamps });
  await tx.units.putMany(commonUnits(newId, at));
  return tenant;
}

/** `createTenant` for somebody: with a slug made from the name when there is none, and an audit row in the new tenant. */
export async function addTenant(tx: Tx, id: string, context: Omit<Context, 'tenant'>, draft: TenantDraft): Promise<TenantRecord> {
  const slug = draft.slug ?? (await freeSlug(tx, draft.name));
  const tenant = await createTenant(tx, id, context.now, context.newId, { ...draft, slug });
  await note(tx, { ...context, tenant }, { action: 'organization.created', resourceType: 'organization', resourceId: id });
  return tenant;
}

/** Changes the tenant of the context. */
export async function updateTenant(tx: Tx, context: Context, patch: TenantPatch): Promise<TenantRecord> {
  const before = await ownTenant(tx, context);
  return saveTenant(tx, context, before, merge(before, patch));
}

/** Names the site that takes what names no site; the sites themselves say so too (`sites.ts`). */
export async function setDefaultSite(tx: Tx, context: Context, defaultSiteId: string): Promise<void> {
  const before = await ownTenant(tx, context);
  await saveTenant(tx, context, before, { ...before, defaultSiteId });
}

async function ownTenant(tx: ReadTx, { tenant: { id } }: Context): Promise<TenantRecord> {
  const tenant = await tx.tenants.get(id);
  if (!tenant) throw notFound('tenant', id);
  return tenant;
}

async function saveTenant(tx: Tx, context: Context, before: TenantRecord, fields: TenantFields): Promise<TenantRecord> {
  const changes = differences<TenantFields>(before, fields, FIELDS);
  if (Object.keys(changes).length === 0) return before;
  const tenant: TenantRecord = { ...before, ...fields, updatedAt: nextTimestamp(context.now, before.updatedAt) };
  await putTenant(tx, tenant);
  const { name, slug, plan } = tenant;
  await note(tx, context, {
    action: 'organization.updated',
    resourceType: 'organization',
    resourceId: tenant.id,
    changes,
    event: { name: 'organization.updated', resourceId: tenant.id, changes: Object.keys(changes), data: { name, slug, plan } },
  });
  // A downgrade takes effect at once, for this very event too.
  if (mayUseWebhooks(before) && !mayUseWebhooks(tenant)) await silenceWebhooks(tx, context.now);
  if (!mayUseWebhooks(before) && mayUseWebhooks(tenant)) await silenceWebhooks(tx, context.now, Number.MAX_SAFE_INTEGER);
  return tenant;
}

async function putTenant(tx: Tx, tenant: TenantRecord): Promise<void> {
  try {
    await tx.tenants.put(tenant);
  } catch (error) {
    throw error instanceof DuplicateKey ? duplicateValue('slug', tenant.slug, error.existingId) : error;
  }
}

/** The settings after a change: an absent one stays. */
function merge(before: TenantFields, patch: TenantPatch): TenantFields {
  const currency = patch.currency ?? before.currency;
  if (patch.currency !== undefined) checkCurrency(currency, '/currency');
  const ownDecimals = currency === before.currency ? before.currencyExponent : currencyDecimals(currency);
  return {
    name: patch.name === undefined ? before.name : requiredText(patch.name, '/name'),
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

/** Null goes back to the default. */
function mergePrefixes(
  before: TenantRecord['numberPrefixes'],
  patch: Readonly<Record<string, string | null | undefined>>,
): Record<string, string> {
  const entries = Object.entries({ ...before, ...patch }).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
