/** Records of webhook endpoints, as they are stored. */
import type { WebhookRecord } from '../../../src/domain/webhooks/records.ts';

/** No one listens there; for deliveries that are not sent. */
export const UNREACHABLE_URL = 'http://127.0.0.1:9/';

/** The record of an active endpoint. */
export function createWebhookRecord(more: Partial<WebhookRecord> & Pick<WebhookRecord, 'id'>): WebhookRecord {
  const at = '2026-01-01T00:00:00.000Z';
  return {
    name: 'Receiver',
    targetUrl: UNREACHABLE_URL,
    subscribedEvents: ['inventory.item.created'],
    status: 'active',
    environment: 'development',
    description: null,
    secret: 'ab'.repeat(32),
    previous: null,
    pausedAt: null,
    createdAt: at,
    updatedAt: at,
    ...more,
  };
}
