/** Tenants: the organization with its settings, and who acts in it. D-22. */
import type { ActorType } from '../contract/audit.ts';
import type { Plan } from '../contract/scopes.ts';
import { duplicateValue } from './errors.ts';
import { DuplicateKey, type NewId } from './ports.ts';
import type { Tx } from './tables.ts';

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
  readonly negativeStock: 'block' | 'allow';
  readonly oversell: 'allow' | 'block';
  readonly fourEyes: boolean;
  readonly billingPeriod: 'monthly' | 'yearly';
  /** The tenant's own company as a contact (D-3). */
  readonly houseContactId: string;
  readonly defaultSiteId: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface NewTenant {
  readonly name: string;
  readonly slug: string;
  readonly plan: Plan;
  readonly currency?: string;
  readonly currencyExponent?: number;
  readonly timezone?: string;
  /** Name and code of the default site. */
  readonly site?: { readonly name: string; readonly code: string };
}

/** A tenant with its house contact and default site. The transaction may be bound to any tenant id: the new one is `id`. */
export async function createTenant(tx: Tx, id: string, now: Date, newId: NewId, draft: NewTenant): Promise<TenantRecord> {
  const at = now.toISOString();
  const stamps = { createdAt: at, updatedAt: at };
  const tenant: TenantRecord = {
    id,
    name: draft.name,
    slug: draft.slug,
    plan: draft.plan,
    isActive: true,
    currency: draft.currency ?? 'EUR',
    currencyExponent: draft.currencyExponent ?? 2,
    timezone: draft.timezone ?? 'UTC',
    defaultLeadDays: 7,
    numberPrefixes: {},
    negativeStock: 'block',
    oversell: 'allow',
    fourEyes: false,
    billingPeriod: 'monthly',
    houseContactId: newId(),
    defaultSiteId: newId(),
    ...stamps,
  };
  try {
    await tx.tenants.put(tenant);
  } catch (error) {
    throw error instanceof DuplicateKey ? duplicateValue('slug', draft.slug, error.existingId) : error;
  }
  await tx.contacts.put({
    id: tenant.houseContactId,
    name: draft.name,
    email: '',
    phone: '',
    company: draft.name,
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
  return tenant;
}
