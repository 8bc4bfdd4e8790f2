/** Webhook endpoints and their deliveries. C-2, C-4 and C-6; W-1. */
import { NO_SPACES } from '../schema/text.ts';
import { SUBSCRIBABLE_EVENTS } from '../events.ts';
import { TARGET_URL_MAX_CHARS, WEBHOOK_DESCRIPTION_MAX_CHARS, WEBHOOK_NAME_MAX_CHARS } from '../limits.ts';
import { extension, listQuery, single, defineOperation, paginated } from '../operation.ts';
import { type Infer, describe, t } from '../schema/builder.ts';
import { ENVIRONMENTS } from '../scopes.ts';

/** `active`: deliveries are sent. `paused`: deliveries are recorded and held. `disabled`: nothing is recorded. */
export const WEBHOOK_STATUSES = ['active', 'paused', 'disabled'] as const;
export type WebhookStatus = (typeof WEBHOOK_STATUSES)[number];

/** Deliveries with one of the first two statuses will be attempted again. */
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
  'too_many_held',
  'event_expired',
] as const;
export type DeliveryError = (typeof DELIVERY_ERRORS)[number] | `http_${number}`;

const EXAMPLE_ID = '5c1d2e3f-4a5b-4c6d-8e7f-901a2b3c4d5e';
const subscribedEvents = () => t.array(t.enums(SUBSCRIBABLE_EVENTS), { min: 1, max: SUBSCRIBABLE_EVENTS.length, unique: true });

/** Of an endpoint whose secret was rotated. */
export const previousSecretUntil = () =>
  t.optional(extension(t.timestamp(), 'After a rotation: until when deliveries are also signed with the previous secret.'));

export const webhook = t.component('Webhook', {
  id: t.uuid(),
  name: t.string(),
  targetUrl: t.string(),
  subscribedEvents: subscribedEvents(),
  status: t.enums(WEBHOOK_STATUSES),
  environment: t.annotate(t.enums(ENVIRONMENTS), { description: 'A label without effect on deliveries.' }),
  description: t.nullable(t.string()),
  previousSecretUntil: previousSecretUntil(),
  createdAt: t.timestamp(),
  updatedAt: t.timestamp(),
});
export type Webhook = Infer<typeof webhook>;

export const webhookDraft = t.object({
  name: t.annotate(t.line(WEBHOOK_NAME_MAX_CHARS), { description: 'Name of the endpoint.', example: 'Shop sync' }),
  targetUrl: t.annotate(
    t.string({
      min: 1,
      max: TARGET_URL_MAX_CHARS,
      pattern: `^[Hh][Tt][Tt][Pp][Ss]?://${NO_SPACES}$`,
      hint: 'an http or https URL without spaces',
    }),
    { description: 'URL that receives deliveries, without user name, password or fragment.', example: 'https://shop.example/hooks' },
  ),
  subscribedEvents: subscribedEvents(),
  description: t.optional(t.nullable(t.multiline(WEBHOOK_DESCRIPTION_MAX_CHARS))),
  environment: t.optional(t.annotate(t.enums(ENVIRONMENTS), { description: 'A label. Default: environment of the key.' })),
  status: describe(
    t.withDefault(t.enums(WEBHOOK_STATUSES), 'active'),
    'active: sends; paused: holds deliveries; disabled: records nothing, and discards those that wait.',
  ),
});
export type WebhookDraft = Infer<typeof webhookDraft>;

export const webhookPatch = t.object({
  ...t.partial(webhookDraft).properties,
  rotateSecret: t.optional(
    describe(t.bool(), 'Generate a new signing secret. Deliveries are signed with both secrets until the overlap ends.'),
  ),
});
export type WebhookPatch = Infer<typeof webhookPatch>;

export const delivery = t.component('WebhookDelivery', {
  id: t.uuid(),
  eventType: t.enums(SUBSCRIBABLE_EVENTS),
  status: t.enums(DELIVERY_STATUSES),
  attempts: t.annotate(t.int({ min: 0 }), { description: 'Number of attempts started.' }),
  lastError: t.annotate(t.nullable(t.string()), { description: `\`http_<status>\` or one of ${DELIVERY_ERRORS.join(', ')}.` }),
  lastHttpStatus: t.nullable(t.int()),
  createdAt: t.timestamp(),
  updatedAt: t.timestamp(),
});
export type Delivery = Infer<typeof delivery>;

const webhookParams = t.object({ webhook_id: t.annotate(t.id('webhook'), { example: EXAMPLE_ID }) });
const signingSecret = t.optional(
  t.annotate(t.string(), { description: 'Signing secret in hex. Shown only in this response, not when the request is replayed.' }),
);
const discardedDeliveries = t.optional(
  describe(t.int({ min: 0 }), 'Only when `status` became `disabled`: deliveries that were waiting to be sent, and are discarded.'),
);
const SHOWN_ONCE = ['signingSecret'] as const;

export const listWebhooks = defineOperation('webhooks.list', 'GET', '/v1/webhooks', {
  scope: 'webhooks:read',
  summary: 'List webhook endpoints',
  query: t.object({
    ...listQuery(['-created_at']),
    status: t.optional(extension(t.csv(t.enums(WEBHOOK_STATUSES)), 'Only endpoints with these statuses, joined by commas.')),
  }),
  result: paginated(webhook),
});

export const createWebhook = defineOperation('webhooks.create', 'POST', '/v1/webhooks', {
  scope: 'webhooks:write',
  plan: 'enterprise',
  summary: 'Create a webhook endpoint',
  description: 'The signing secret is shown only in this response.',
  body: webhookDraft,
  status: 201,
  result: t.object({ data: webhook, signingSecret }),
  shownOnce: SHOWN_ONCE,
  errors: ['LIMIT_REACHED'],
  example: {
    body: { name: 'Shop sync', targetUrl: 'https://shop.example/hooks', subscribedEvents: ['order.created', 'order.updated'] },
  },
});

export const getWebhook = defineOperation('webhooks.get', 'GET', '/v1/webhooks/{webhook_id}', {
  scope: 'webhooks:read',
  summary: 'Get a webhook endpoint',
  params: webhookParams,
  result: single(webhook),
  example: { params: { webhook_id: EXAMPLE_ID } },
});

export const updateWebhook = defineOperation('webhooks.update', 'PATCH', '/v1/webhooks/{webhook_id}', {
  scope: 'webhooks:write',
  plan: 'enterprise',
  summary: 'Update a webhook endpoint, or rotate its signing secret',
  description: 'Omitted fields are unchanged. Disabling the endpoint discards the deliveries that wait to be sent.',
  params: webhookParams,
  body: webhookPatch,
  result: t.object({ data: webhook, signingSecret, discardedDeliveries }),
  shownOnce: SHOWN_ONCE,
  errors: ['PRECONDITION_FAILED'],
  example: { params: { webhook_id: EXAMPLE_ID }, body: { status: 'paused' } },
});

export const deleteWebhook = defineOperation('webhooks.delete', 'DELETE', '/v1/webhooks/{webhook_id}', {
  scope: 'webhooks:delete',
  summary: 'Delete a webhook endpoint and its deliveries',
  params: webhookParams,
  result: null,
  errors: ['PRECONDITION_FAILED'],
  example: { params: { webhook_id: EXAMPLE_ID } },
});

export const listDeliveries = defineOperation('webhooks.deliveries.list', 'GET', '/v1/webhooks/{webhook_id}/deliveries', {
  scope: 'webhooks:deliveries:read',
  summary: 'List the deliveries of a webhook endpoint',
  params: webhookParams,
  query: t.object({
    ...omitSearch(listQuery(['-created_at'])),
    status: t.optional(describe(t.csv(t.enums(DELIVERY_STATUSES)), 'Only deliveries with these statuses, joined by commas.')),
    event_type: t.optional(extension(t.csv(t.enums(SUBSCRIBABLE_EVENTS)), 'Only deliveries of these event types, joined by commas.')),
  }),
  result: paginated(delivery),
  example: { params: { webhook_id: EXAMPLE_ID }, query: { status: 'failed' } },
});

/** Deliveries have no searchable text. */
function omitSearch<Q extends { search: unknown }>({ search: _search, ...query }: Q) {
  return query;
}

export const webhookOperations = [listWebhooks, createWebhook, getWebhook, updateWebhook, deleteWebhook, listDeliveries] as const;
