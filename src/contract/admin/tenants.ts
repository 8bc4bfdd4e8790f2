/** Tenants: the organizations served, with their plans and settings. D-22. */
import { LEAD_TIME_MAX_DAYS, NAME_MAX_CHARS, NUMBER_PREFIX_MAX_CHARS, SLUG_MAX_CHARS } from '../limits.ts';
import { pageQuery, single, defineAdminOperation, paginated } from '../operation.ts';
import { ORDER_MODULES, type OrderModule } from '../resources/orders.ts';
import { DOCUMENT_TYPES, type DocumentType } from '../resources/stock-documents.ts';
import { type Infer, describe, t } from '../schema/builder.ts';
import { PLANS } from '../scopes.ts';
import { BILLING_PERIODS } from '../resources/usage.ts';
import { snapshotName } from './snapshots.ts';
import { clockState } from './clock.ts';
import { duration, slug, defineTenantOperation } from './shared-schemas.ts';
import { activeFilter } from '../resources/setting-records.ts';

/** Whether an issue may take more than is on hand (D-16). */
export const NEGATIVE_STOCK = ['block', 'allow'] as const;
/** Whether a sell order may open for more than is available (D-6). */
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
  houseContactId: t.id('contact'),
  defaultSiteId: t.id('site'),
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
  slug: t.optional(t.annotate(slug(), { description: 'Unique short name for URLs and commands. Default: derived from the name.' })),
  isActive: t.optional(t.annotate(t.bool(), { description: 'Whether the tenant is active; keys of an inactive tenant are rejected.' })),
  currency: t.optional(
    t.annotate(t.string({ pattern: '^[A-Z]{3}$', hint: 'an ISO 4217 code such as EUR' }), {
      description: 'ISO 4217 currency code; fixed once the tenant has orders or ledger entries. Default: EUR.',
    }),
  ),
  currencyExponent: t.optional(describe(t.int({ min: 0, max: 4 }), 'Decimal places of amounts. Default: those of the currency.')),
  timezone: t.optional(describe(t.line(NAME_MAX_CHARS), 'IANA time zone such as Europe/Lisbon; determines the current date.')),
  defaultLeadDays: t.optional(describe(t.int({ min: 0, max: LEAD_TIME_MAX_DAYS }), 'Days from the order date to the default due date.')),
  numberPrefixes: t.optional(
    t.annotate(numberPrefixes, {
      description:
        'Number prefixes of orders by module and of stock documents by type. Null restores the default; omitted prefixes are unchanged.',
    }),
  ),
  negativeStock: describe(t.optional(t.enums(NEGATIVE_STOCK)), 'Whether stock may become negative.'),
  oversell: describe(t.optional(t.enums(OVERSELL)), 'Whether sell orders can open for more than is available.'),
  fourEyes: t.optional(describe(t.bool(), 'Whether stock documents must be approved by someone other than the submitter.')),
  billingPeriod: describe(t.optional(t.enums(BILLING_PERIODS)), 'Period over which usage is counted.'),
};

// A new tenant is on the standard plan.
const displayName = () => describe(t.line(NAME_MAX_CHARS), 'Display name.');
const plan = () => describe(t.enums(PLANS), 'Plan of the tenant.');

export const tenantDraft = t.object({ name: displayName(), plan: t.withDefault(plan(), 'standard'), ...settings });
export type TenantDraft = Infer<typeof tenantDraft>;
export const tenantPatch = t.object({ name: t.optional(displayName()), plan: t.optional(plan()), ...settings });
export type TenantPatch = Infer<typeof tenantPatch>;

const createBody = t.object({
  ...settings,
  name: describe(t.optional(t.line(NAME_MAX_CHARS)), 'Display name; required without a template.'),
  plan: describe(t.optional(t.enums(PLANS)), 'Plan of the tenant. Default: standard, or that of the template.'),
  template: t.optional(
    t.annotate(t.string({ max: SLUG_MAX_CHARS }), {
      description:
        'Slug or id of a tenant to copy: its records, stock and endpoints with the same ids except for endpoints, and a new key.',
    }),
  ),
  lease: t.optional(
    describe(t.bool(), 'With a template: the response stays open after its JSON, and the copy is removed when the connection closes.'),
  ),
});
export type CreateTenantBody = Infer<typeof createBody>;

export const listTenants = defineAdminOperation('tenants.list', 'GET', '/admin/tenants', {
  summary: 'List tenants',
  query: t.object({ ...pageQuery(['name', 'created_at']), ...activeFilter }),
  result: paginated(tenant),
});

export const createTenant = defineAdminOperation('tenants.create', 'POST', '/admin/tenants', {
  summary: 'Create a tenant',
  description: 'Also creates its house contact (the contact that stands for the tenant itself), its default site and common units.',
  body: createBody,
  status: 201,
  result: t.object({
    data: tenant,
    secret: t.optional(
      describe(t.string(), 'With a template: a key with all scopes. Shown only in this response, not when the request is replayed.'),
    ),
  }),
  shownOnce: ['secret'],
  errors: ['DUPLICATE_VALUE', 'NOT_FOUND'],
  example: { body: { name: 'Kestrel Coffee', plan: 'enterprise', timezone: 'Europe/Lisbon' } },
});

const byTenant = t.object({ tenant: t.annotate(t.string({ max: SLUG_MAX_CHARS }), { description: 'Slug or id of the tenant.' }) });

export const getTenant = defineAdminOperation('tenants.get', 'GET', '/admin/tenants/{tenant}', {
  summary: 'Get a tenant with its settings',
  params: byTenant,
  result: single(tenant),
});

export const updateTenant = defineAdminOperation('tenants.update', 'PATCH', '/admin/tenants/{tenant}', {
  summary: 'Update a tenant',
  description: 'Omitted fields are unchanged.',
  params: byTenant,
  body: tenantPatch,
  result: single(tenant),
  errors: ['DUPLICATE_VALUE', 'RESOURCE_IN_USE'],
  example: { body: { plan: 'enterprise' } },
});

export const updateOrganization = defineTenantOperation('organization.update', 'PATCH', '/admin/organization', {
  summary: 'Update the profile, plan or settings of your tenant',
  description: 'Omitted fields are unchanged.',
  body: tenantPatch,
  result: single(tenant),
  errors: ['DUPLICATE_VALUE', 'RESOURCE_IN_USE'],
  example: { body: { name: 'Kestrel Coffee Roasters' } },
});

export const resetTenant = defineAdminOperation('tenants.reset', 'POST', '/admin/tenants/{tenant}/reset', {
  summary: 'Reset a tenant to its fixtures or a snapshot of it',
  description:
    'Puts records, stock, audit trail and settings back in one transaction, and clears events and deliveries; other tenants are not affected. Keys and endpoints that were created since stay.',
  params: byTenant,
  body: t.object({
    to: t.optional(t.annotate(snapshotName(), { description: 'Snapshot of the tenant. Default: its state after fixtures were applied.' })),
  }),
  result: single(tenant),
  errors: ['NOT_FOUND'],
  example: { params: { tenant: 'shop' }, body: {} },
});

export const saveTenantSnapshot = defineAdminOperation('tenants.snapshot', 'POST', '/admin/tenants/{tenant}/snapshots', {
  summary: 'Save a snapshot of a tenant in memory',
  description: 'Replaces that of the same name. It lasts until the daemon stops or all data is replaced.',
  params: byTenant,
  body: t.object({ name: t.annotate(snapshotName(), { description: 'Name of the snapshot.' }) }),
  result: single(tenant),
  example: { params: { tenant: 'shop' }, body: { name: 'before-checkout' } },
});

const clockResult = single(
  t.object({
    ...clockState.properties,
    aheadSeconds: t.annotate(t.int(), { description: 'Offset from the clock of the service, in seconds.' }),
  }),
);

export const showTenantClock = defineAdminOperation('tenants.clock.show', 'GET', '/admin/tenants/{tenant}/clock', {
  summary: 'Get the time of a tenant',
  params: byTenant,
  result: clockResult,
});

export const moveTenantClock = defineAdminOperation('tenants.clock.move', 'POST', '/admin/tenants/{tenant}/clock', {
  summary: 'Move the test clock of one tenant',
  description:
    'Forward by a duration, or to a time; without either, back to the clock of the service. Everything of the tenant follows; other tenants are not affected.',
  params: byTenant,
  body: t.object({
    by: t.optional(duration()),
    at: t.optional(t.annotate(t.timestamp(), { description: 'May be in the past.' })),
  }),
  result: clockResult,
  errors: ['NOT_ENABLED'],
  example: { params: { tenant: 'shop' }, body: { by: '2h' } },
});

export const tenantOperations = [
  listTenants,
  createTenant,
  getTenant,
  updateTenant,
  updateOrganization,
  resetTenant,
  saveTenantSnapshot,
  showTenantClock,
  moveTenantClock,
] as const;
