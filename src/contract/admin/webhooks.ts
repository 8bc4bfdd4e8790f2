/** What the owner of the daemon can do with webhooks beside /v1: look inside, try, send again. decisions-api §1.8. */
import { EMITTED_EVENTS, SUBSCRIBABLE_EVENTS } from '../events.ts';
import { PAGE_SIZE_MAX } from '../limits.ts';
import { one, operation } from '../operation.ts';
import { type Infer, t } from '../schema.ts';
import { DELIVERY_STATUSES, WEBHOOK_STATUSES, delivery, webhook } from '../webhooks.ts';
import { tenantQuery } from './common.ts';

const webhookParams = t.object({ webhook_id: t.uuid() });
const deliveryParams = t.object({ delivery_id: t.uuid() });
const count = () => t.int({ min: 0 });
const EXAMPLE_ID = '5c1d2e3f-4a5b-4c6d-8e7f-901a2b3c4d5e';

/** The record of /v1 and where it belongs. */
export const ownedDelivery = t.object({
  ...delivery.properties,
  webhookId: t.uuid(),
  eventId: t.uuid(),
  nextAttemptAt: t.nullable(t.timestamp()),
  lastMilliseconds: t.about(t.nullable(count()), { description: 'How long the latest attempt took; null before the first.' }),
});
export type OwnedDelivery = Infer<typeof ownedDelivery>;

export const testWebhook = operation({
  id: 'webhooks.test',
  method: 'POST',
  path: '/admin/webhooks/{webhook_id}/test',
  scope: null,
  summary: 'Send the unsigned connectivity check and tell what came back; recorded nowhere',
  params: webhookParams,
  query: tenantQuery,
  body: t.object({}),
  status: 200,
  result: one(t.object({ ok: t.bool(), httpStatus: t.nullable(t.int()), milliseconds: count(), error: t.nullable(t.string()) })),
});

export const triggerEvent = operation({
  id: 'webhooks.trigger',
  method: 'POST',
  path: '/admin/webhooks/trigger',
  scope: null,
  summary: 'Record an event as if it had happened: signed deliveries to every endpoint that subscribed to it',
  query: tenantQuery,
  body: t.object({
    event: t.enums(EMITTED_EVENTS),
    data: t.optional(t.about(t.map(t.json()), { description: 'Fields of the event instead of those of the example.' })),
  }),
  status: 201,
  result: one(t.object({ event: t.enums(EMITTED_EVENTS), eventId: t.uuid(), deliveries: count() })),
  example: { body: { event: 'order.created', data: { status: 'open' } } },
});

export const endOverlap = operation({
  id: 'webhooks.end-overlap',
  method: 'POST',
  path: '/admin/webhooks/{webhook_id}/end-overlap',
  scope: null,
  summary: 'End the overlap of a secret rotation now',
  params: webhookParams,
  query: tenantQuery,
  body: t.object({}),
  status: 200,
  result: one(webhook),
});

export const backfillWebhook = operation({
  id: 'webhooks.backfill',
  method: 'POST',
  path: '/admin/webhooks/{webhook_id}/backfill',
  scope: null,
  summary: 'Record deliveries of earlier events of the change log that the endpoint has not been sent',
  params: webhookParams,
  query: tenantQuery,
  body: t.object({ since: t.timestamp() }),
  status: 200,
  result: one(t.object({ deliveries: count() })),
});

export const tailDeliveries = operation({
  id: 'webhooks.deliveries.tail',
  method: 'GET',
  path: '/admin/deliveries',
  scope: null,
  summary: 'List deliveries of every endpoint that changed since an instant, oldest change first',
  query: t.object({
    ...tenantQuery.properties,
    since: t.optional(t.timestamp()),
    webhook_id: t.optional(t.uuid()),
    status: t.optional(t.enums(DELIVERY_STATUSES)),
    event_type: t.optional(t.enums(SUBSCRIBABLE_EVENTS)),
    limit: t.withDefault(t.int({ min: 1, max: 10_000 }), PAGE_SIZE_MAX),
  }),
  status: 200,
  result: t.object({ data: t.array(ownedDelivery) }),
});

export const showDelivery = operation({
  id: 'webhooks.deliveries.show',
  method: 'GET',
  path: '/admin/deliveries/{delivery_id}',
  scope: null,
  summary: 'Read a delivery with its request and every attempt',
  params: deliveryParams,
  query: tenantQuery,
  status: 200,
  result: one(
    t.object({
      ...ownedDelivery.properties,
      request: t.nullable(
        t.object({
          method: t.enums(['POST']),
          url: t.string(),
          headers: t.map(t.string()),
          body: t.string(),
          asSent: t.about(t.bool(), {
            description:
              'True: exactly the last attempt. False: nothing was sent yet, or the endpoint was changed since; then address and signatures are those that the endpoint as it is now would get.',
          }),
        }),
      ),
      history: t.array(
        t.object({ at: t.timestamp(), milliseconds: count(), httpStatus: t.nullable(t.int()), error: t.nullable(t.string()) }),
      ),
    }),
  ),
  example: { params: { delivery_id: EXAMPLE_ID } },
});

export const resendDelivery = operation({
  id: 'webhooks.deliveries.resend',
  method: 'POST',
  path: '/admin/deliveries/{delivery_id}/resend',
  scope: null,
  summary: 'Send a delivery again, once, under the same event id',
  params: deliveryParams,
  query: tenantQuery,
  body: t.object({}),
  status: 200,
  result: one(ownedDelivery),
  errors: ['INVALID_STATE'],
});

/** A place in the order in which deliveries were recorded. */
const place = t.object({ createdAt: t.timestamp(), id: t.uuid() });

export const resendFailed = operation({
  id: 'webhooks.deliveries.resend-failed',
  method: 'POST',
  path: '/admin/deliveries/resend-failed',
  scope: null,
  summary: 'Send failed deliveries again, once each, the oldest first; as many as one answer takes',
  query: tenantQuery,
  body: t.object({
    since: t.timestamp(),
    webhookId: t.optional(t.uuid()),
    after: t.about(t.optional(place), { description: 'Only those behind this place: `next` of the answer before.' }),
  }),
  status: 200,
  result: t.object({
    data: t.array(ownedDelivery),
    next: t.about(t.nullable(place), { description: 'Where to go on; null when there are no more.' }),
  }),
});

/** How an endpoint is doing, over the deliveries that are still in the log. */
export const endpointHealth = t.object({
  id: t.uuid(),
  name: t.string(),
  targetUrl: t.string(),
  subscribedEvents: t.array(t.enums(SUBSCRIBABLE_EVENTS)),
  status: t.enums(WEBHOOK_STATUSES),
  delivered: count(),
  failed: count(),
  discarded: count(),
  queued: t.about(count(), { description: 'Deliveries that are not ended.' }),
  oldestQueuedAt: t.nullable(t.timestamp()),
  nextAttemptAt: t.nullable(t.timestamp()),
  failingSince: t.about(t.nullable(t.timestamp()), { description: 'The first failure since the last success; null while all is well.' }),
  failedAttempts: t.about(count(), { description: 'Attempts that failed since then.' }),
});
export type EndpointHealth = Infer<typeof endpointHealth>;

export const listHealth = operation({
  id: 'webhooks.health',
  method: 'GET',
  path: '/admin/webhooks/health',
  scope: null,
  summary: 'List how every endpoint is doing: success, queue, failing since when',
  query: tenantQuery,
  status: 200,
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

/** Server-sent events of what the daemon is doing; no operation, because it does not end. */
export const FEED_PATH = '/admin/feed';
