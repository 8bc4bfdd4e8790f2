/** What only the local daemon does for its owner, over the admin API. */
import { resendDelivery, showDelivery, testWebhook, triggerEvent } from '../../contract/admin/webhooks.ts';
import type { EmittedEvent } from '../../contract/events.ts';
import type { LocalConnection } from './local-connection.ts';
import type { OwnerActions } from './source.ts';

export function createOwnerActions({ daemon, admin, tenant }: LocalConnection): OwnerActions {
  const query = { tenant };
  return {
    async show(deliveryId) {
      return (await admin(daemon()).perform(showDelivery, { params: { delivery_id: deliveryId }, query })).body.data;
    },
    async resend(deliveryId) {
      await admin(daemon()).perform(resendDelivery, { params: { delivery_id: deliveryId }, query, body: {} });
    },
    async trigger(event) {
      const body = { event: event as EmittedEvent, data: {} };
      return (await admin(daemon()).perform(triggerEvent, { query, body })).body.data;
    },
    async check(webhookId) {
      return (await admin(daemon()).perform(testWebhook, { params: { webhook_id: webhookId }, query, body: {} })).body.data;
    },
  };
}
