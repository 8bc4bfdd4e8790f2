/** Webhook endpoints and their deliveries. Contract parts 2, 4 and 6; decisions-api §1. */
import { SUBSCRIBABLE_EVENTS } from './events.ts';
import { TARGET_URL_MAX_CHARS, WEBHOOK_DESCRIPTION_MAX_CHARS, WEBHOOK_NAME_MAX_CHARS } from './limits.ts';
import { extension, listQuery, one, operation, pageOf } from './operation.ts';
import { type Infer, t } from './schema.ts';
import { ENVIRONMENTS } from './scopes.ts';

/** `active` sends, `paused` records and holds, `disabled` records nothing. */
export const WEBHOOK_STATUSES = ['active', 'paused', 'disabled'] as const;
export type WebhookStatus = (typeof WEBHOOK_STATUSES)[number];

/** The first two are open: another attempt will be made. */
export const DELIVERY_STATUSES = ['pending', 'retrying', 'delivered', 'failed', 'discarded'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];
/** `lastError` is one of these, or `http_<status>`. */
export const DELIVERY_ERRORS = [
  'timeout',
  'connection_refused',
  'connection_reset',
  'dns_not_found',
  'tls_error',
  'redirect_not_followed',
  'target_blocked',
  'response_too_large',
  'endpoint_gone',
  'endpoint_disabled',
  'plan_required',
  'held_too_long',
  'event_expired',
] as const;
export type DeliveryError = (typeof DELIVERY_ERRORS)[number] | `http_${number}`;

const EXAMPLE_ID = '5c1d2e3f-4a5b-4c6d-8e7f-901a2b3c4d5e';
const subscribedEvents = () => t.array(t.enums(SUBSCRIBABLE_EVENTS), { min: 1, max: SUBSCRIBABLE_EVENTS.length, unique: true });

export const webhook = t.about(
  t.object({
    id: t.uuid(),
    name: t.string(),
    targetUrl: t.string(),
    subscribedEvents: subscribedEvents(),
    status: t.enums(WEBHOOK_STATUSES),
    environment: t.about(t.enums(ENVIRONMENTS), { description: 'A label: it decides nothing about what is sent.' }),
    description: t.nullable(t.string()),
    createdAt: t.timestamp(),
    updatedAt: t.timestamp(),
  }),
  { name: 'Webhook' },
);
export type Webhook = Infer<typeof webhook>;

export const webhookDraft = t.object({
  name: t.about(t.line(WEBHOOK_NAME_MAX_CHARS), { example: 'Shop sync' }),
  targetUrl: t.about(
    t.string({
      min: 1,
      max: TARGET_URL_MAX_CHARS,
      pattern: '^[Hh][Tt][Tt][Pp][Ss]?://\\S+$',
      hint: 'an http or https address without blanks',
    }),
    { description: 'Where deliveries are sent. No user name, password or fragment.', example: 'https://shop.example/hooks' },
  ),
  subscribedEvents: subscribedEvents(),
  description: t.optional(t.nullable(t.notes(WEBHOOK_DESCRIPTION_MAX_CHARS))),
  environment: t.optional(t.about(t.enums(ENVIRONMENTS), { description: 'A label. Default: the environment of the key.' })),
  status: t.withDefault(t.enums(WEBHOOK_STATUSES), 'active'),
});
export type WebhookDraft = Infer<typeof webhookDraft>;

export const webhookPatch = t.object({
  ...t.partial(webhookDraft).properties,
  rotateSecret: t.optional(t.about(t.bool(), { description: 'True makes a new signing secret; both sign until the overlap ends.' })),
});
export type WebhookPatch = Infer<typeof webhookPatch>;

export const delivery = t.about(
  t.object({
    id: t.uuid(),
    eventType: t.enums(SUBSCRIBABLE_EVENTS),
    status: t.enums(DELIVERY_STATUSES),
    attempts: t.about(t.int({ min: 0 }), { description: 'Requests that were actually begun.' }),
    lastError: t.about(t.nullable(t.string()), { description: `\`http_<status>\` or one of ${DELIVERY_ERRORS.join(', ')}.` }),
    lastHttpStatus: t.nullable(t.int()),
    createdAt: t.timestamp(),
    updatedAt: t.timestamp(),
  }),
  { name: 'WebhookDelivery' },
);
export type Delivery = Infer<typeof delivery>;

const webhookParams = t.object({ webhook_id: t.about(t.uuid(), { example: EXAMPLE_ID }) });
const signingSecret = t.optional(
  t.about(t.string(), { description: 'Hex. Shown in this answer only: a replay of the request leaves it out.' }),
);
const SHOWN_ONCE = ['signingSecret'] as const;

export const listWebhooks = operation({
  id: 'webhooks.list',
  method: 'GET',
  path: '/v1/webhooks',
  scope: 'webhooks:read',
  summary: 'List webhook endpoints',
  query: t.object({
    ...listQuery(['-created_at']),
    status: t.optional(extension(t.enums(WEBHOOK_STATUSES), 'Only endpoints in this status.')),
  }),
  status: 200,
  result: pageOf(webhook),
});

export const createWebhook = operation({
  id: 'webhooks.create',
  method: 'POST',
  path: '/v1/webhooks',
  scope: 'webhooks:write',
  plan: 'enterprise',
  summary: 'Create a webhook endpoint; its signing secret is shown this once',
  body: webhookDraft,
  status: 201,
  result: t.object({ data: webhook, signingSecret }),
  shownOnce: SHOWN_ONCE,
  errors: ['LIMIT_REACHED'],
  example: {
    body: { name: 'Shop sync', targetUrl: 'https://shop.example/hooks', subscribedEvents: ['order.created', 'order.updated'] },
  },
});

export const getWebhook = operation({
  id: 'webhooks.get',
  method: 'GET',
  path: '/v1/webhooks/{webhook_id}',
  scope: 'webhooks:read',
  summary: 'Read a webhook endpoint',
  params: webhookParams,
  status: 200,
  result: one(webhook),
  example: { params: { webhook_id: EXAMPLE_ID } },
});

export const updateWebhook = operation({
  id: 'webhooks.update',
  method: 'PATCH',
  path: '/v1/webhooks/{webhook_id}',
  scope: 'webhooks:write',
  plan: 'enterprise',
  summary: 'Change a webhook endpoint, or rotate its signing secret',
  params: webhookParams,
  body: webhookPatch,
  status: 200,
  result: t.object({ data: webhook, signingSecret }),
  shownOnce: SHOWN_ONCE,
  errors: ['PRECONDITION_FAILED'],
  example: { params: { webhook_id: EXAMPLE_ID }, body: { status: 'paused' } },
});

export const deleteWebhook = operation({
  id: 'webhooks.delete',
  method: 'DELETE',
  path: '/v1/webhooks/{webhook_id}',
  scope: 'webhooks:delete',
  summary: 'Delete a webhook endpoint and its deliveries',
  params: webhookParams,
  status: 204,
  result: null,
  errors: ['PRECONDITION_FAILED'],
  example: { params: { webhook_id: EXAMPLE_ID } },
});

export const listDeliveries = operation({
  id: 'webhooks.deliveries.list',
  method: 'GET',
  path: '/v1/webhooks/{webhook_id}/deliveries',
  scope: 'webhooks:deliveries:read',
  summary: 'List the deliveries of a webhook endpoint',
  params: webhookParams,
  query: t.object({
    ...withoutSearch(listQuery(['-created_at'])),
    status: t.optional(t.about(t.enums(DELIVERY_STATUSES), { description: 'Only deliveries in this status.' })),
    event_type: t.optional(extension(t.enums(SUBSCRIBABLE_EVENTS), 'Only deliveries of this event.')),
  }),
  status: 200,
  result: pageOf(delivery),
  example: { params: { webhook_id: EXAMPLE_ID }, query: { status: 'failed' } },
});

/** There is no text in a delivery that one would look for. */
function withoutSearch<Q extends { search: unknown }>({ search: _search, ...query }: Q) {
  return query;
}

export const webhookOperations = [listWebhooks, createWebhook, getWebhook, updateWebhook, deleteWebhook, listDeliveries] as const;
