/** Applications, installations, authorization codes and pending consents: tables, with the indexes for their queries. */
import { BY_CREATED_AT, BY_NAME, BY_UPDATED_AT, defineTable } from '../table-format/define-table.ts';
import type { ApplicationRecord, AuthorizationCodeRecord, InstallationRecord, LoginCodeRecord, PendingConsentRecord } from './records.ts';

export const oauthTables = {
  applications: defineTable<ApplicationRecord>({
    name: 'applications',
    scope: 'service',
    unique: { clientId: { fields: ['clientId'] } },
    orders: { name: BY_NAME, created_at: BY_CREATED_AT, updated_at: BY_UPDATED_AT },
    filters: ['status', 'type'],
    search: ['name', 'clientId'],
  }),
  installations: defineTable<InstallationRecord>({
    name: 'installations',
    scope: 'service',
    unique: { pair: { fields: ['applicationId', 'tenantId'] } },
    orders: { created_at: BY_CREATED_AT },
    filters: ['applicationId', 'tenantId'],
  }),
  oauthCodes: defineTable<AuthorizationCodeRecord>({
    name: 'oauthCodes',
    scope: 'service',
    orders: { forget_at: [{ field: 'forgetAt' }] },
  }),
  pendingConsents: defineTable<PendingConsentRecord>({
    name: 'pendingConsents',
    scope: 'service',
    orders: { order: [{ field: 'order' }], forget_at: [{ field: 'forgetAt' }] },
  }),
  loginCodes: defineTable<LoginCodeRecord>({
    name: 'loginCodes',
    scope: 'service',
    orders: { order: [{ field: 'order' }], expires_at: [{ field: 'expiresAt' }] },
  }),
} as const;
