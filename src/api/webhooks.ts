/** Handlers of webhook endpoints and their deliveries. */
import type { Delivery, Webhook, webhookOperations } from '../contract/resources/webhooks.ts';
import type { DeliveryRecord } from '../domain/events/records.ts';
import { checkVersion } from './versions.ts';
import { createWebhook, deleteWebhook, getWebhook, updateWebhook } from '../domain/webhooks/endpoints.ts';
import type { WebhookRecord } from '../domain/webhooks/records.ts';
import { type Handlers, respondWithRecord } from './handler.ts';
import { listPage } from './lists/list-page.ts';
import { whereEquals, toPageQuery, whereIn } from './lists/pagination.ts';

export const webhookHandlers: Handlers<typeof webhookOperations> = {
  async 'webhooks.list'({ tx, query }) {
    const { rows, pagination } = await listPage(tx, 'webhooks', query, toPageQuery(query, [whereIn('status', query.status)]));
    return { data: rows.map(presentWebhook), pagination };
  },
  async 'webhooks.create'({ tx, context, body, caller, targets }) {
    const webhook = await createWebhook(tx, context, body, caller.key.environment, targets);
    const created = { data: presentWebhook(webhook), signingSecret: webhook.secret };
    return respondWithRecord(webhook, created, `/v1/webhooks/${webhook.id}`);
  },
  async 'webhooks.get'({ tx, params }) {
    const webhook = await getWebhook(tx, params.webhook_id);
    return respondWithRecord(webhook, { data: presentWebhook(webhook) });
  },
  async 'webhooks.update'({ tx, context, params, body, ifMatch, targets }) {
    checkVersion(ifMatch, (await getWebhook(tx, params.webhook_id)).updatedAt);
    const { webhook, ...discarded } = await updateWebhook(tx, context, params.webhook_id, body, targets);
    const secretField = body.rotateSecret === true ? { signingSecret: webhook.secret } : {};
    return respondWithRecord(webhook, { data: presentWebhook(webhook), ...secretField, ...discarded });
  },
  async 'webhooks.delete'({ tx, context, params, ifMatch }) {
    checkVersion(ifMatch, (await getWebhook(tx, params.webhook_id)).updatedAt);
    await deleteWebhook(tx, context, params.webhook_id);
  },
  async 'webhooks.deliveries.list'({ tx, params, query }) {
    const { id } = await getWebhook(tx, params.webhook_id);
    const where = [whereEquals('webhookId', id), whereIn('status', query.status), whereIn('eventType', query.event_type)];
    const { rows, pagination } = await listPage(tx, 'deliveries', query, toPageQuery(query, where));
    return { data: rows.map(presentDelivery), pagination };
  },
};

/** A webhook endpoint in responses, without its secrets. */
export function presentWebhook(record: WebhookRecord): Webhook {
  const { id, name, targetUrl, subscribedEvents, status, environment, description, previous, createdAt, updatedAt } = record;
  const rotation = previous === null ? {} : { previousSecretUntil: previous.until };
  return { id, name, targetUrl, subscribedEvents, status, environment, description, ...rotation, createdAt, updatedAt };
}

/** A delivery in responses. */
export function presentDelivery(record: DeliveryRecord): Delivery {
  const { id, eventType, status, attempts, lastError = null, lastHttpStatus = null, createdAt, updatedAt } = record;
  return { id, eventType, status, attempts, lastError, lastHttpStatus, createdAt, updatedAt };
}
