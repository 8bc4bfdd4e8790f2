/** Webhook operations for the daemon's owner that /v1 does not have: inspect, test, trigger, resend. W-8. */
import { EMITTED_EVENTS, SUBSCRIBABLE_EVENTS } from '../events.ts';
import { PAGE_SIZE_MAX } from '../limits.ts';
import { single, defineAdminOperation } from '../operation.ts';
import { type Infer, describe, t } from '../schema/builder.ts';
import { DELIVERY_STATUSES, WEBHOOK_STATUSES, createWebhook, delivery, previousSecretUntil, webhook } from '../resources/webhooks.ts';
import { defineTenantOperation, tenantQuery } from './shared-schemas.ts';

const webhookParams = t.object({ webhook_id: t.id('webhook') });
const deliveryParams = t.object({ delivery_id: t.uuid() });
const count = () => t.int({ min: 0 });
const EXAMPLE_ID = '5c1d2e3f-4a5b-4c6d-8e7f-901a2b3c4d5e';

/** The /v1 delivery record with its webhook, its event and its timing. */
export const ownedDelivery = t.object({
  ...delivery.properties,
  webhookId: t.id('webhook'),
  eventId: t.uuid(),
  nextAttemptAt: t.nullable(t.timestamp()),
  lastMilliseconds: t.annotate(t.nullable(count()), { description: 'Duration of the latest attempt; null before the first.' }),
});
export type OwnedDelivery = Infer<typeof ownedDelivery>;

export const testWebhook = defineTenantOperation('webhooks.test', 'POST', '/admin/webhooks/{webhook_id}/test', {
  summary: 'Send the connectivity check to an endpoint',
  description: 'The check is unsigned and not recorded. Returns the result.',
  params: webhookParams,
  body: t.object({}),
  result: single(
    t.object({
      ok: t.bool(),
      httpStatus: t.nullable(t.int()),
      milliseconds: count(),
      error: t.nullable(t.string()),
      responseBody: describe(t.nullable(t.string()), 'First KiB of the response of a receiver that rejects the check; otherwise null.'),
    }),
  ),
});

export const triggerEvent = defineTenantOperation('webhooks.trigger', 'POST', '/admin/webhooks/trigger', {
  summary: 'Trigger an event',
  description: 'Records the event and sends signed deliveries to every subscribed endpoint, as if it had happened.',
  body: t.object({
    event: t.enums(EMITTED_EVENTS),
    data: t.optional(t.annotate(t.map(t.json()), { description: 'Event fields that override the sample data.' })),
  }),
  status: 201,
  result: single(t.object({ event: t.enums(EMITTED_EVENTS), eventId: t.uuid(), deliveries: count() })),
  example: { body: { event: 'order.created', data: { status: 'open' } } },
});

export const endOverlap = defineTenantOperation('webhooks.end-overlap', 'POST', '/admin/webhooks/{webhook_id}/end-overlap', {
  summary: 'Stop signing with the previous secret',
  params: webhookParams,
  body: t.object({}),
  result: single(webhook),
});

export const backfillWebhook = defineTenantOperation('webhooks.backfill', 'POST', '/admin/webhooks/{webhook_id}/backfill', {
  plan: createWebhook.plan,
  summary: 'Deliver earlier events that the endpoint has not received',
  params: webhookParams,
  body: t.object({ since: t.timestamp() }),
  result: single(t.object({ deliveries: count() })),
});

export const tailDeliveries = defineAdminOperation('webhooks.deliveries.tail', 'GET', '/admin/deliveries', {
  summary: 'List changed deliveries, oldest change first',
  query: t.object({
    ...tenantQuery.properties,
    since: t.optional(t.timestamp()),
    webhook_id: t.optional(t.annotate(t.id('webhook'), { description: 'Only deliveries to this endpoint.' })),
    status: t.optional(describe(t.csv(t.enums(DELIVERY_STATUSES)), 'Only deliveries with these statuses, joined by commas.')),
    event_type: t.optional(describe(t.csv(t.enums(SUBSCRIBABLE_EVENTS)), 'Only deliveries of these event types, joined by commas.')),
    limit: t.withDefault(t.int({ min: 1, max: 10_000 }), PAGE_SIZE_MAX),
  }),
  result: t.object({ data: t.array(ownedDelivery) }),
});

export const showDelivery = defineTenantOperation('webhooks.deliveries.show', 'GET', '/admin/deliveries/{delivery_id}', {
  summary: 'Get a delivery with its request and attempts',
  params: deliveryParams,
  result: single(
    t.object({
      ...ownedDelivery.properties,
      request: t.nullable(
        t.object({
          method: t.enums(['POST']),
          url: t.string(),
          headers: t.map(t.string()),
          body: t.string(),
          asSent: t.annotate(t.bool(), {
            description:
              'True: the request of the last attempt, as sent. False: nothing was sent yet, or the endpoint has changed since; shows the URL and signatures of the next attempt.',
          }),
        }),
      ),
      history: t.array(
        t.object({
          at: t.timestamp(),
          milliseconds: count(),
          httpStatus: t.nullable(t.int()),
          error: t.nullable(t.string()),
          timing: describe(
            t.optional(t.object({ waited: count(), connected: t.nullable(count()), answered: t.nullable(count()), stored: count() })),
            'In milliseconds: for how long it was due before its start; from its start until it was connected and answered, null if it was not; from its end until it was stored. Absent for attempts of earlier releases.',
          ),
          response: t.annotate(t.nullable(t.object({ headers: t.map(t.string()), body: t.string(), isTruncated: t.bool() })), {
            description:
              'Recorded of the latest failed attempt with a response: a few headers and the first KiB of the body. Otherwise null.',
          }),
        }),
      ),
    }),
  ),
  example: { params: { delivery_id: EXAMPLE_ID } },
});

export const resendDelivery = defineTenantOperation('webhooks.deliveries.resend', 'POST', '/admin/deliveries/{delivery_id}/resend', {
  plan: createWebhook.plan,
  summary: 'Resend a delivery',
  description: 'Sends it once, with the same event id.',
  params: deliveryParams,
  body: t.object({}),
  result: single(ownedDelivery),
  errors: ['INVALID_STATE'],
});

/** The deliveries that need attention: no attempts are left, or the latest attempt failed. The dashboard shows them as problems. */
export const PROBLEM_STATUSES = ['failed', 'retrying'] as const;

/** The deliveries that can be resent together. */
export const RESENDABLE_STATUSES = [...PROBLEM_STATUSES, 'discarded'] as const;

/** A position in the order in which deliveries were recorded. */
const deliveryPosition = t.object({ createdAt: t.timestamp(), id: t.uuid() });

export const resendFailed = defineTenantOperation('webhooks.deliveries.resend-failed', 'POST', '/admin/deliveries/resend-failed', {
  plan: createWebhook.plan,
  summary: 'Resend deliveries that were not delivered',
  description:
    'Oldest first. Sends a failed or discarded delivery once. Makes a retrying one due now; it keeps its retries. Returns one page; continue with `next`.',
  body: t.object({
    since: t.timestamp(),
    webhookId: t.optional(t.id('webhook')),
    statuses: t.annotate(t.optional(t.array(t.enums(RESENDABLE_STATUSES), { min: 1, max: RESENDABLE_STATUSES.length })), {
      description: 'Which deliveries; omit for those that failed.',
    }),
    after: t.annotate(t.optional(deliveryPosition), { description: 'Start after this position: `next` of the previous response.' }),
  }),
  errors: ['INVALID_STATE'],
  result: t.object({
    data: t.array(ownedDelivery),
    next: t.annotate(t.nullable(deliveryPosition), { description: 'Position to continue from; null on the last page.' }),
  }),
});

/** The health of an endpoint, computed from the deliveries in its log. */
export const endpointHealth = t.object({
  id: t.uuid(),
  name: t.string(),
  targetUrl: t.string(),
  subscribedEvents: t.array(t.enums(SUBSCRIBABLE_EVENTS)),
  status: t.enums(WEBHOOK_STATUSES),
  delivered: count(),
  failed: count(),
  discarded: count(),
  queued: t.annotate(count(), { description: 'Deliveries that are still pending.' }),
  oldestQueuedAt: t.nullable(t.timestamp()),
  nextAttemptAt: t.nullable(t.timestamp()),
  failingSince: describe(t.nullable(t.timestamp()), 'First failure since the last success; null if the last attempt succeeded.'),
  failedAttempts: t.annotate(count(), { description: 'Failed attempts since then.' }),
  lastError: t.annotate(t.nullable(t.string()), { description: 'Error of the last of these attempts; null if there are none.' }),
  previousSecretUntil: previousSecretUntil(),
  blockedReason: t.annotate(t.nullable(t.string()), {
    description: 'Why the settings of the service forbid deliveries to this URL; null if they do not, as far as that is known without DNS.',
  }),
});
export type EndpointHealth = Infer<typeof endpointHealth>;

export const listHealth = defineTenantOperation('webhooks.health', 'GET', '/admin/webhooks/health', {
  summary: 'List the health of every webhook endpoint',
  description: 'Shows delivery counts, queue and failures, computed from the deliveries in the log.',
  result: t.object({ data: t.array(endpointHealth) }),
});

export const adminWebhookOperations = [
  listHealth,
  testWebhook,
  triggerEvent,
  endOverlap,
  backfillWebhook,
  tailDeliveries,
  showDelivery,
  resendDelivery,
  resendFailed,
] as const;

/** Server-sent events of the daemon's activity. Not an operation, because the response does not end. */
export const FEED_PATH = '/admin/feed';
