/** A delivery with its event and attempts, resending it, and replays, which resend many in order: extensions. W-8. */
import { SUBSCRIBABLE_EVENTS } from '../events.ts';
import { REPLAY_RATE_DEFAULT, REPLAY_RATE_MAX } from '../limits.ts';
import { defineOperation, queryBoolean, single } from '../operation.ts';
import { describe, t } from '../schema/builder.ts';
import { delivery, getWebhook } from './webhooks.ts';

const EXAMPLE_ID = '0199f2a0-4a5b-7c6d-8e7f-901a2b3c4d5e';
const { webhook_id: EXAMPLE_WEBHOOK_ID } = getWebhook.example.params;
const webhookParams = getWebhook.params;
const deliveryParams = t.object({ ...webhookParams.properties, delivery_id: t.uuid() });
const replayParams = t.object({ ...webhookParams.properties, replay_id: t.uuid() });

export const deliveryDetail = t.component('WebhookDeliveryDetail', {
  ...delivery.properties,
  eventId: t.uuid(),
  resourceId: describe(t.nullable(t.uuid()), 'The record that the event is about; null, like `payload`, when the event is no longer kept.'),
  payload: describe(t.json(), 'The body that is sent.'),
  nextAttemptAt: t.nullable(t.timestamp()),
  history: describe(
    t.array(
      t.object({ at: t.timestamp(), milliseconds: t.int({ min: 0 }), httpStatus: t.nullable(t.int()), error: t.nullable(t.string()) }),
    ),
    'The latest attempts, oldest first.',
  ),
});

export const readDelivery = defineOperation('webhooks.deliveries.get', 'GET', '/v1/webhooks/{webhook_id}/deliveries/{delivery_id}', {
  scope: 'webhooks:deliveries:read',
  extension: true,
  summary: 'Get a delivery with its payload and attempts',
  params: deliveryParams,
  result: single(deliveryDetail),
  example: { params: { webhook_id: EXAMPLE_WEBHOOK_ID, delivery_id: EXAMPLE_ID } },
});

const RESEND_PATH = '/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/resend';

export const requeueDelivery = defineOperation('webhooks.deliveries.requeue', 'POST', RESEND_PATH, {
  scope: 'webhooks:write',
  plan: 'enterprise',
  extension: true,
  summary: 'Resend a delivery',
  description: 'A finished delivery is sent once, with the same event id. An open one is sent now and keeps its retries.',
  params: deliveryParams,
  body: t.object({}),
  result: single(deliveryDetail),
  errors: ['INVALID_STATE'],
  example: { params: { webhook_id: EXAMPLE_WEBHOOK_ID, delivery_id: EXAMPLE_ID }, body: {} },
});

/** Deliveries that have ended; others are still sent by themselves. */
export const ENDED_STATUSES = ['delivered', 'failed', 'discarded'] as const;
export const REPLAY_STATES = ['running', 'completed', 'stopped'] as const;

const rate = () => t.int({ min: 1, max: REPLAY_RATE_MAX });

export const replay = t.component('WebhookReplay', {
  id: t.uuid(),
  webhookId: t.id('webhook'),
  state: describe(t.enums(REPLAY_STATES), 'stopped: the endpoint was disabled, or the plan no longer includes webhooks.'),
  since: t.timestamp(),
  until: t.timestamp(),
  types: t.nullable(t.array(t.enums(SUBSCRIBABLE_EVENTS))),
  statuses: t.array(t.enums(ENDED_STATUSES)),
  rate: t.int({ min: 1 }),
  selected: describe(t.int({ min: 0 }), 'Deliveries that matched at the start.'),
  sent: describe(t.int({ min: 0 }), 'Of these, delivered by the replay.'),
  failed: describe(t.int({ min: 0 }), 'Of these, not delivered by the replay.'),
  oldestAt: t.nullable(t.timestamp()),
  newestAt: t.nullable(t.timestamp()),
  createdAt: t.timestamp(),
  updatedAt: t.timestamp(),
});

export const createReplay = defineOperation('webhooks.replays.create', 'POST', '/v1/webhooks/{webhook_id}/replay', {
  scope: 'webhooks:write',
  plan: 'enterprise',
  extension: true,
  summary: 'Resend the deliveries of a period',
  description:
    'Sends each once, oldest first, and those about one record one after the other. Continues after a restart. An endpoint has one running replay.',
  params: webhookParams,
  query: t.object({
    dry_run: t.optional(t.annotate(queryBoolean(), { description: 'true: return the replay with its count without starting it.' })),
  }),
  body: t.object({
    since: describe(t.timestamp(), 'Deliveries recorded at or after this time.'),
    until: describe(t.optional(t.timestamp()), 'Deliveries recorded before this time. Default: now.'),
    types: describe(
      t.optional(t.array(t.enums(SUBSCRIBABLE_EVENTS), { min: 1, max: SUBSCRIBABLE_EVENTS.length })),
      'Only these event types. Default: all.',
    ),
    statuses: t.withDefault(
      describe(t.array(t.enums(ENDED_STATUSES), { min: 1, max: ENDED_STATUSES.length }), 'Only deliveries with these statuses.'),
      ['failed', 'discarded'],
    ),
    rate: t.withDefault(t.annotate(rate(), { description: 'Deliveries per second at most.' }), REPLAY_RATE_DEFAULT),
  }),
  status: 201,
  result: single(replay),
  errors: ['INVALID_STATE'],
  example: { params: { webhook_id: EXAMPLE_WEBHOOK_ID }, body: { since: '2026-03-30T00:00:00.000Z', statuses: ['failed'] } },
});

export const getReplay = defineOperation('webhooks.replays.get', 'GET', '/v1/webhooks/{webhook_id}/replays/{replay_id}', {
  scope: 'webhooks:deliveries:read',
  extension: true,
  summary: 'Get a replay',
  params: replayParams,
  result: single(replay),
  example: { params: { webhook_id: EXAMPLE_WEBHOOK_ID, replay_id: EXAMPLE_ID } },
});

export const cancelReplay = defineOperation('webhooks.replays.cancel', 'DELETE', '/v1/webhooks/{webhook_id}/replays/{replay_id}', {
  scope: 'webhooks:write',
  extension: true,
  summary: 'Cancel a replay and delete it',
  description: 'What it has queued is still sent.',
  params: replayParams,
  result: null,
  errors: ['PRECONDITION_FAILED'],
  example: { params: { webhook_id: EXAMPLE_WEBHOOK_ID, replay_id: EXAMPLE_ID } },
});

export const webhookReplayOperations = [readDelivery, requeueDelivery, createReplay, getReplay, cancelReplay] as const;
