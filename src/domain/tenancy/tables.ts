/** Tenants, keys, sites, users and usage: tables, with the indexes for their queries. */
import { BY_CREATED_AT, BY_NAME, BY_UPDATED_AT, defineTable } from '../table-format/define-table.ts';
import type { TenantRecord } from '../kernel/tenant.ts';
import type { ApiKeyRecord, SiteRecord, TierRecord, UsageRecord, UserRecord } from './records.ts';

export const tenancyTables = {
  tenants: defineTable<TenantRecord>({
    name: 'tenants',
    scope: 'service',
    types: { isActive: 'boolean' },
    unique: { slug: { fields: ['slug'], fold: true } },
    orders: { name: BY_NAME, created_at: BY_CREATED_AT, updated_at: BY_UPDATED_AT },
    columns: ['isActive'],
    search: ['name', 'slug'],
  }),
  tiers: defineTable<TierRecord>({ name: 'tiers', scope: 'service', orders: { name: [{ field: 'id' }] } }),
  apiKeys: defineTable<ApiKeyRecord>({
    name: 'apiKeys',
    scope: 'service',
    unique: { prefix: { fields: ['prefix'] } },
    orders: { created_at: BY_CREATED_AT },
    filters: ['tenantId', 'applicationId'],
    columns: ['revokedAt', 'expiresAt', 'replacedBy'],
    search: ['name', 'prefix'],
  }),
  sites: defineTable<SiteRecord>({
    name: 'sites',
    scope: 'tenant',
    types: { isActive: 'boolean' },
    unique: { code: { fields: ['code'], fold: true } },
    orders: { name: BY_NAME, code: [{ field: 'code', fold: true }], created_at: BY_CREATED_AT, updated_at: BY_UPDATED_AT },
    filters: ['isActive'],
    search: ['name', 'code'],
  }),
  users: defineTable<UserRecord>({
    name: 'users',
    scope: 'tenant',
    unique: { email: { fields: ['email'], fold: true } },
    orders: { name: BY_NAME, email: [{ field: 'email', fold: true }], created_at: BY_CREATED_AT, updated_at: BY_UPDATED_AT },
    filters: ['role', 'status'],
    search: ['name', 'email'],
  }),
  usage: defineTable<UsageRecord>({
    name: 'usage',
    scope: 'tenant',
    orders: { capability: [{ field: 'capability' }] },
    filters: ['periodStart'],
  }),
} as const;
