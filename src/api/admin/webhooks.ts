import type { OwnedDelivery, adminWebhookOperations } from '../../contract/admin/webhooks.ts';
import { WEBHOOKS_CEILING } from '../../contract/limits.ts';
import type { Context } from '../../domain/context.ts';
import { type DeliveryRecord, getDelivery, isOpen, resend, resendFailed } from '../../domain/deliveries.ts';
import { StockroomError } from '../../domain/errors.ts';
import { endpointsHealth } from '../../domain/webhook-health.ts';
import { backfill, triggerEvent } from '../../domain/webhook-tools.ts';
import { endOverlap, getWebhook, mayUseWebhooks } from '../../domain/webhooks.ts';
import { equal, utc } from '../lists.ts';
import { presentDelivery, presentWebhook } from '../webhooks.ts';
import { type AdminHandlers, change, read } from './call.ts';

export const adminWebhookHandlers: AdminHandlers<typeof adminWebhookOperations> = {
  async 'webhooks.health'(call) {
    return read(call, async (tx) => ({ data: await endpointsHealth(tx) }));
  },
  async 'webhooks.test'(call) {
    const webhook = await read(call, (tx) => getWebhook(tx, call.params.webhook_id));
    const outcome = await call.plane.deliveries.check(webhook);
    if (!outcome) throw new StockroomError('UNAVAILABLE', 'The service is shutting down.');
    const { httpStatus, milliseconds, error } = outcome;
    return { data: { ok: error === null, httpStatus, milliseconds, error } };
  },
  async 'webhooks.trigger'(call) {
    const { event, data } = call.body;
    return { data: await change(call, (tx, context) => triggerEvent(tx, context, event, data)) };
  },
  async 'webhooks.end-overlap'(call) {
    return { data: presentWebhook(await change(call, (tx, context) => endOverlap(tx, context, call.params.webhook_id))) };
  },
  async 'webhooks.backfill'(call) {
    const deliveries = await change(call, (tx, context) => {
      requirePlan(context);
      return backfill(tx, context, call.params.webhook_id, utc(call.body.since));
    });
    return { data: { deliveries } };
  },
  async 'webhooks.deliveries.tail'(call) {
    const { since, webhook_id, status, event_type, limit } = call.query;
    const where = [
      equal('webhookId', webhook_id),
      equal('status', status),
      equal('eventType', event_type),
      since === undefined ? undefined : { field: 'updatedAt', from: utc(since) },
    ].filter((condition) => condition !== undefined);
    const rows = await read(call, async (tx) => (await tx.deliveries.after({ where, descending: true, limit })).rows);
    return { data: rows.sort((a, b) => (a.updatedAt < b.updatedAt ? -1 : a.updatedAt > b.updatedAt ? 1 : 0)).map(presentOwned) };
  },
  async 'webhooks.deliveries.show'(call) {
    const { plane, params } = call;
    return read(call, async (tx) => {
      const delivery = await getDelivery(tx, params.delivery_id);
      const [webhook, event] = [await tx.webhooks.get(delivery.webhookId), await tx.events.get(delivery.eventId)];
      const { history = [] } = delivery;
      const last = history.at(-1);
      const request =
        webhook && event
          ? {
              method: 'POST' as const,
              url: webhook.targetUrl,
              headers: plane.deliveries.headersOf(delivery, webhook, event.body, last ? new Date(last.at) : plane.clock.now()),
              body: event.body,
              // A rotation changes the endpoint, too, and secrets of the past are not kept.
              asSent: last !== undefined && webhook.updatedAt <= last.at,
            }
          : null;
      return { data: { ...presentOwned(delivery), request, history } };
    });
  },
  async 'webhooks.deliveries.resend'(call) {
    const row = await change(call, (tx, context) => {
      requirePlan(context);
      return resend(tx, call.params.delivery_id, context.now);
    });
    return { data: presentOwned(row) };
  },
  async 'webhooks.deliveries.resend-failed'(call) {
    const { since, webhookId, after } = call.body;
    const { resent, next } = await change(call, async (tx, context) => {
      requirePlan(context);
      const webhooks =
        webhookId === undefined ? (await tx.webhooks.after({ limit: WEBHOOKS_CEILING })).rows : [await getWebhook(tx, webhookId)];
      const webhookIds = webhooks.filter(({ status }) => status !== 'disabled').map(({ id }) => id);
      const behind = after && { ...after, createdAt: utc(after.createdAt) };
      return resendFailed(tx, { webhookIds, since: utc(since), after: behind, limit: RESENT_AT_ONCE }, context.now);
    });
    return { data: resent.map(presentOwned), next };
  },
};

/** Nothing is recorded that would not be sent. */
function requirePlan({ tenant }: Pick<Context, 'tenant'>): void {
  if (!mayUseWebhooks(tenant)) throw new StockroomError('PLAN_REQUIRED', 'This tenant has no webhooks on its plan.');
}

/** Of one call: others wait for their turn meanwhile. */
const RESENT_AT_ONCE = 1_000;

/** A delivery with what the settings plane tells beyond /v1. */
export function presentOwned(record: DeliveryRecord): OwnedDelivery {
  const { webhookId, eventId } = record;
  return {
    ...presentDelivery(record),
    webhookId,
    eventId,
    nextAttemptAt: isOpen(record) ? record.dueAt : null,
    lastMilliseconds: record.history?.at(-1)?.milliseconds ?? null,
  };
}
