/** What only the local daemon does, for its owner, over the admin API. */
import { resendDelivery, showDelivery, testWebhook, triggerEvent } from '../../contract/admin/webhooks.ts';
import type { EmittedEvent } from '../../contract/events.ts';
import type { LocalConnection } from './local-connection.ts';

export type OwnerActions = ReturnType<typeof createOwnerActions>;

export function createOwnerActions({ daemon, admin, tenant }: LocalConnection) {
  const query = { tenant };
  return {
    async show(deliveryId: string) {
      return (await admin(daemon()).perform(showDelivery, { params: { delivery_id: deliveryId }, query })).body.data;
    },
    async resend(deliveryId: string) {
      await admin(daemon()).perform(resendDelivery, { params: { delivery_id: deliveryId }, query, body: {} });
    },
    async trigger(event: string) {
      const body = { event: event as EmittedEvent, data: {} };
      return (await admin(daemon()).perform(triggerEvent, { query, body })).body.data;
    },
    async check(webhookId: string) {
      return (await admin(daemon()).perform(testWebhook, { params: { webhook_id: webhookId }, query, body: {} })).body.data;
    },
  };
}
