/** Admin handlers of webhooks: health, tests, triggered events, backfill and deliveries. */
import type { OwnedDelivery, adminWebhookOperations } from '../../contract/admin/webhooks.ts';
import { WEBHOOKS_CEILING } from '../../contract/limits.ts';
import type { Context } from '../../domain/kernel/context.ts';
import { checkNotDisabled, getDelivery, resendDelivery, resendFailedDeliveries } from '../../domain/events/deliveries.ts';
import type { AttemptTiming, DeliveryRecord } from '../../domain/events/records.ts';
import { isOpen } from '../../domain/events/delivery-state.ts';
import { StockroomError } from '../../domain/kernel/errors.ts';
import type { ReadTx } from '../../domain/tables.ts';
import { listEndpointHealth } from '../../domain/webhooks/health.ts';
import { backfillDeliveries, triggerEvent } from '../../domain/webhooks/trigger-and-backfill.ts';
import { endOverlap, getWebhook, canUseWebhooks } from '../../domain/webhooks/endpoints.ts';
import { joinConditions, whereEquals, whereSince, toUtc, whereIn } from '../lists/pagination.ts';
import { presentDelivery, presentWebhook } from '../webhooks.ts';
import { type AdminHandlers, readTenant, withoutReply, writeTenant } from './handler.ts';

export const adminWebhookHandlers: AdminHandlers<typeof adminWebhookOperations> = {
  'webhooks.health': async (call) => readTenant(call, async (tx) => ({ data: await listEndpointHealth(tx, call.services.targets) })),
  async 'webhooks.test'(call) {
    const [webhook, { id }] = await readTenant(call, async (tx, tenant) => [await getWebhook(tx, call.params.webhook_id), tenant] as const);
    const outcome = await call.services.deliveries.sendCheck(webhook, id);
    if (!outcome) throw new StockroomError('UNAVAILABLE', 'The service is shutting down.');
    const { httpStatus, milliseconds, error, response } = outcome;
    return { data: { ok: error === null, httpStatus, milliseconds, error, responseBody: response?.body ?? null } };
  },
  async 'webhooks.trigger'(call) {
    const { event, data } = call.body;
    return writeTenant(call, async (tx, context) => ({ data: await triggerEvent(tx, context, event, data) }));
  },
  'webhooks.end-overlap': async (call) =>
    writeTenant(call, async (tx, context) => ({ data: presentWebhook(await endOverlap(tx, context, call.params.webhook_id)) })),
  async 'webhooks.backfill'(call) {
    return writeTenant(call, async (tx, context) => {
      requireWebhookPlan(context);
      return { data: { deliveries: await backfillDeliveries(tx, context, call.params.webhook_id, toUtc(call.body.since)) } };
    });
  },
  async 'webhooks.deliveries.tail'(call) {
    const { since, webhook_id, status, event_type, limit } = call.query;
    const where = joinConditions(
      whereEquals('webhookId', webhook_id),
      whereIn('status', status),
      whereIn('eventType', event_type),
      whereSince('updatedAt', since),
    );
    const rows = await readTenant(call, async (tx) => (await tx.deliveries.listAfter({ where, descending: true, limit })).rows);
    return { data: rows.sort((a, b) => (a.updatedAt < b.updatedAt ? -1 : a.updatedAt > b.updatedAt ? 1 : 0)).map(presentAdminDelivery) };
  },
  async 'webhooks.deliveries.show'(call) {
    const { services, params } = call;
    return readTenant(call, async (tx, { id: tenantId }) => {
      const delivery = await getDelivery(tx, params.delivery_id);
      const [webhook, event] = await Promise.all([tx.webhooks.get(delivery.webhookId), tx.events.get(delivery.eventId)]);
      const { history = [] } = delivery;
      const last = history.at(-1);
      const at = last ? new Date(last.at) : services.clock.now(tenantId);
      const request =
        webhook && event
          ? {
              method: 'POST' as const,
              url: webhook.targetUrl,
              headers: services.deliveries.buildHeaders(delivery, webhook, event.body, at),
              body: event.body,
              // Any later change of the endpoint may be a rotation, and old secrets are not kept.
              asSent: last !== undefined && webhook.updatedAt <= last.at,
            }
          : null;
      const attempts = history.map(({ response = null, timing, ...attempt }) => ({
        ...attempt,
        ...(timing && { timing: presentTiming(timing) }),
        response,
      }));
      return { data: { ...presentAdminDelivery(delivery), request, history: attempts } };
    });
  },
  async 'webhooks.deliveries.resend'(call) {
    const row = await writeTenant(withoutReply(call), (tx, context) => {
      requireWebhookPlan(context);
      return resendDelivery(tx, call.params.delivery_id, context.now);
    });
    return { data: presentAdminDelivery(row) };
  },
  async 'webhooks.deliveries.resend-failed'(call) {
    const { since, webhookId, statuses = ['failed'], after } = call.body;
    const { resent, next } = await writeTenant(withoutReply(call), async (tx, context) => {
      requireWebhookPlan(context);
      const webhookIds = await listResendTargets(tx, webhookId);
      const cursor = after && { ...after, createdAt: toUtc(after.createdAt) };
      const options = { webhookIds, since: toUtc(since), statuses, after: cursor, limit: RESEND_BATCH_SIZE };
      return resendFailedDeliveries(tx, options, context.now);
    });
    return { data: resent.map(presentAdminDelivery), next };
  },
};

/** The endpoint that is named, or all that are not disabled. */
async function listResendTargets(tx: ReadTx, webhookId: string | undefined): Promise<string[]> {
  if (webhookId === undefined) {
    const { rows } = await tx.webhooks.listAfter({ limit: WEBHOOKS_CEILING });
    return rows.filter(({ status }) => status !== 'disabled').map(({ id }) => id);
  }
  checkNotDisabled(await getWebhook(tx, webhookId));
  return [webhookId];
}

/** Without webhooks on the plan, a recorded delivery would never be sent. */
function requireWebhookPlan({ tenant }: Pick<Context, 'tenant'>): void {
  if (!canUseWebhooks(tenant)) throw new StockroomError('PLAN_REQUIRED', 'The plan of this tenant does not include webhooks.');
}

/** Deliveries per call; other writes wait for its transaction. */
const RESEND_BATCH_SIZE = 1_000;

const presentTiming = ([waited, connected, answered, stored]: AttemptTiming) => ({ waited, connected, answered, stored });

/** A delivery with the fields that only the admin API shows. */
export function presentAdminDelivery(record: DeliveryRecord): OwnedDelivery {
  const { webhookId, eventId } = record;
  return {
    ...presentDelivery(record),
    webhookId,
    eventId,
    nextAttemptAt: isOpen(record) ? record.dueAt : null,
    lastMilliseconds: record.history?.at(-1)?.milliseconds ?? null,
  };
}
