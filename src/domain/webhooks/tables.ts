/** Webhook endpoints, their health and replays: tables, with the indexes for their queries. */
import { BY_CREATED_AT, defineTable } from '../table-format/define-table.ts';
import type { ReplayRecord, WebhookHealthRecord, WebhookRecord } from './records.ts';

export const webhooksTables = {
  webhooks: defineTable<WebhookRecord>({
    name: 'webhooks',
    scope: 'tenant',
    orders: { created_at: BY_CREATED_AT },
    filters: ['status'],
    arrayFilters: ['subscribedEvents'],
    columns: ['updatedAt'],
    search: ['name', 'targetUrl'],
  }),
  webhookReplays: defineTable<ReplayRecord>({
    name: 'webhookReplays',
    scope: 'tenant',
    orders: { created_at: BY_CREATED_AT },
    filters: ['webhookId', 'state'],
  }),
  webhookHealth: defineTable<WebhookHealthRecord>({ name: 'webhookHealth', scope: 'tenant', orders: { id: [{ field: 'id' }] } }),
} as const;
