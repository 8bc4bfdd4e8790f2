import type { Delivery, Webhook, webhookOperations } from '../contract/webhooks.ts';
import type { DeliveryRecord } from '../domain/deliveries.ts';
import { checkVersion } from '../domain/items.ts';
import { type WebhookRecord, createWebhook, deleteWebhook, getWebhook, updateWebhook } from '../domain/webhooks.ts';
import { Answer, type Handlers, etagOf } from './call.ts';
import { equal, pageQuery, paginationOf } from './lists.ts';

export const webhookHandlers: Handlers<typeof webhookOperations> = {
  async 'webhooks.list'({ tx, query }) {
    const { rows, total } = await tx.webhooks.page(pageQuery(query, [equal('status', query.status)]));
    return { data: rows.map(presentWebhook), pagination: paginationOf(query, total) };
  },
  async 'webhooks.create'({ tx, context, body, caller, targets }) {
    const webhook = await createWebhook(tx, context, body, caller.key.environment, targets);
    const answer = { data: presentWebhook(webhook), signingSecret: webhook.secret };
    return new Answer(answer, { etag: etagOf(webhook), location: `/v1/webhooks/${webhook.id}` });
  },
  async 'webhooks.get'({ tx, params }) {
    const webhook = await getWebhook(tx, params.webhook_id);
    return new Answer({ data: presentWebhook(webhook) }, { etag: etagOf(webhook) });
  },
  async 'webhooks.update'({ tx, context, params, body, ifMatch, targets }) {
    checkVersion(ifMatch, (await getWebhook(tx, params.webhook_id)).updatedAt);
    const webhook = await updateWebhook(tx, context, params.webhook_id, body, targets);
    const shown = body.rotateSecret === true ? { signingSecret: webhook.secret } : {};
    return new Answer({ data: presentWebhook(webhook), ...shown }, { etag: etagOf(webhook) });
  },
  async 'webhooks.delete'({ tx, context, params, ifMatch }) {
    checkVersion(ifMatch, (await getWebhook(tx, params.webhook_id)).updatedAt);
    await deleteWebhook(tx, context, params.webhook_id);
  },
  async 'webhooks.deliveries.list'({ tx, params, query }) {
    const { id } = await getWebhook(tx, params.webhook_id);
    const where = [equal('webhookId', id), equal('status', query.status), equal('eventType', query.event_type)];
    const { rows, total } = await tx.deliveries.page(pageQuery(query, where));
    return { data: rows.map(presentDelivery), pagination: paginationOf(query, total) };
  },
};

/** Never with its secrets. */
export function presentWebhook(record: WebhookRecord): Webhook {
  const { id, name, targetUrl, subscribedEvents, status, environment, description, createdAt, updatedAt } = record;
  return { id, name, targetUrl, subscribedEvents, status, environment, description, createdAt, updatedAt };
}

export function presentDelivery(record: DeliveryRecord): Delivery {
  const { id, eventType, status, attempts, lastError = null, lastHttpStatus = null, createdAt, updatedAt } = record;
  return { id, eventType, status, attempts, lastError, lastHttpStatus, createdAt, updatedAt };
}
