/** Tenants: the organizations of this service with their plans and rules. D-22. */
import { LEAD_TIME_MAX_DAYS, NAME_MAX_CHARS, NUMBER_PREFIX_MAX_CHARS, SLUG_MAX_CHARS } from '../limits.ts';
import { listQuery, one, operation, pageOf } from '../operation.ts';
import { ORDER_MODULES, type OrderModule } from '../orders.ts';
import { DOCUMENT_TYPES, type DocumentType } from '../stock-documents.ts';
import { type Infer, t } from '../schema.ts';
import { PLANS } from '../scopes.ts';
import { BILLING_PERIODS } from '../usage.ts';
import { activeFilter, slug, tenantQuery } from './common.ts';

/** What happens when an issue would take more than there is (D-16). */
export const NEGATIVE_STOCK = ['block', 'allow'] as const;
/** Whether opening a sell order looks at what is available (D-6). */
export const OVERSELL = ['allow', 'block'] as const;

export const tenant = t.object({
  id: t.uuid(),
  slug: t.string(),
  name: t.string(),
  plan: t.enums(PLANS),
  isActive: t.bool(),
  currency: t.string(),
  currencyExponent: t.int({ min: 0, max: 4 }),
  timezone: t.string(),
  defaultLeadDays: t.int({ min: 0, max: LEAD_TIME_MAX_DAYS }),
  numberPrefixes: t.map(t.string()),
  negativeStock: t.enums(NEGATIVE_STOCK),
  oversell: t.enums(OVERSELL),
  fourEyes: t.bool(),
  billingPeriod: t.enums(BILLING_PERIODS),
  houseContactId: t.uuid(),
  defaultSiteId: t.uuid(),
  createdAt: t.timestamp(),
  updatedAt: t.timestamp(),
});
export type Tenant = Infer<typeof tenant>;

const prefix = () =>
  t.optional(
    t.nullable(
      t.string({
        min: 1,
        max: NUMBER_PREFIX_MAX_CHARS,
        pattern: '^[A-Za-z0-9._/-]+$',
        hint: 'letters, digits and . _ / -, such as PO-',
      }),
    ),
  );
const numberPrefixes = t.object(
  Object.fromEntries([...ORDER_MODULES, ...DOCUMENT_TYPES].map((kind) => [kind, prefix()])) as Record<
    OrderModule | DocumentType,
    ReturnType<typeof prefix>
  >,
);

const settings = {
  slug: t.optional(t.about(slug(), { description: 'Unique; made from the name when left out.' })),
  isActive: t.optional(t.about(t.bool(), { description: 'The keys of an inactive tenant are refused.' })),
  currency: t.optional(
    t.about(t.string({ pattern: '^[A-Z]{3}$', hint: 'an ISO 4217 code such as EUR' }), { description: 'EUR when left out.' }),
  ),
  currencyExponent: t.optional(
    t.about(t.int({ min: 0, max: 4 }), { description: 'Decimals of the minor unit; that of the currency when left out.' }),
  ),
  timezone: t.optional(t.about(t.line(NAME_MAX_CHARS), { description: 'IANA name such as Europe/Lisbon; decides what today is.' })),
  defaultLeadDays: t.optional(
    t.about(t.int({ min: 0, max: LEAD_TIME_MAX_DAYS }), { description: 'Days from the order date to the default due date.' }),
  ),
  numberPrefixes: t.optional(
    t.about(numberPrefixes, {
      description: 'Prefixes of order numbers by module and of stock documents by type; null goes back to the default, absent ones stay.',
    }),
  ),
  negativeStock: t.optional(t.enums(NEGATIVE_STOCK)),
  oversell: t.optional(t.enums(OVERSELL)),
  fourEyes: t.optional(t.about(t.bool(), { description: 'Stock documents are approved by somebody other than their submitter.' })),
  billingPeriod: t.optional(t.enums(BILLING_PERIODS)),
};

// ours: a tenant begins on the plan standard.
export const tenantDraft = t.object({ name: t.line(NAME_MAX_CHARS), plan: t.withDefault(t.enums(PLANS), 'standard'), ...settings });
export type TenantDraft = Infer<typeof tenantDraft>;
export const tenantPatch = t.object({ name: t.optional(t.line(NAME_MAX_CHARS)), plan: t.optional(t.enums(PLANS)), ...settings });
export type TenantPatch = Infer<typeof tenantPatch>;

export const listTenants = operation({
  id: 'tenants.list',
  method: 'GET',
  path: '/admin/tenants',
  scope: null,
  summary: 'List tenants',
  query: t.object({ ...listQuery(['name', 'created_at']), ...activeFilter }),
  status: 200,
  result: pageOf(tenant),
});

export const createTenant = operation({
  id: 'tenants.create',
  method: 'POST',
  path: '/admin/tenants',
  scope: null,
  summary: 'Create a tenant with its house contact, default site and common units',
  body: tenantDraft,
  status: 201,
  result: one(tenant),
  errors: ['DUPLICATE_VALUE'],
  example: { body: { name: 'Kestrel Coffee', plan: 'enterprise', timezone: 'Europe/Lisbon' } },
});

const byTenant = t.object({ tenant: t.about(t.string({ max: SLUG_MAX_CHARS }), { description: 'Slug or id.' }) });

export const getTenant = operation({
  id: 'tenants.get',
  method: 'GET',
  path: '/admin/tenants/{tenant}',
  scope: null,
  summary: 'Read a tenant with its settings',
  params: byTenant,
  status: 200,
  result: one(tenant),
});

export const updateTenant = operation({
  id: 'tenants.update',
  method: 'PATCH',
  path: '/admin/tenants/{tenant}',
  scope: null,
  summary: 'Change the profile, plan or settings of a tenant',
  params: byTenant,
  body: tenantPatch,
  status: 200,
  result: one(tenant),
  errors: ['DUPLICATE_VALUE'],
  example: { body: { plan: 'enterprise' } },
});

export const updateOrganization = operation({
  id: 'organization.update',
  method: 'PATCH',
  path: '/admin/organization',
  scope: null,
  summary: 'Change the profile, plan or settings of the chosen tenant',
  query: tenantQuery,
  body: tenantPatch,
  status: 200,
  result: one(tenant),
  errors: ['DUPLICATE_VALUE'],
  example: { body: { name: 'Kestrel Coffee Roasters' } },
});

export const tenantOperations = [listTenants, createTenant, getTenant, updateTenant, updateOrganization] as const;
