/** Recorded requests with headers and bodies, for assertions of tests, and waiting for what a test expects. */
import { SUBSCRIBABLE_EVENTS } from '../events.ts';
import { RECORDED_REQUESTS_MAX, WAIT_MAX_S } from '../limits.ts';
import { defineAdminOperation, single } from '../operation.ts';
import { DELIVERY_STATUSES } from '../resources/webhooks.ts';
import { type Infer, describe, t } from '../schema/builder.ts';
import { duration, defineTenantOperation, tenantQuery } from './shared-schemas.ts';
import { ownedDelivery } from './webhooks.ts';

const message = t.object({
  headers: t.annotate(t.map(t.string()), { description: 'Secrets are replaced by [hidden].' }),
  body: t.annotate(t.nullable(t.string()), { description: 'As sent, with secrets replaced; null without one.' }),
  isTruncated: t.bool(),
});

export const recordedRequest = t.object({
  at: t.timestamp(),
  requestId: t.string(),
  operationId: t.nullable(t.string()),
  method: t.string(),
  path: t.annotate(t.string(), { description: 'With the query.' }),
  status: t.annotate(t.nullable(t.int()), { description: 'Null if the client disconnected before the response.' }),
  milliseconds: t.number(),
  tenantId: t.nullable(t.uuid()),
  keyPrefix: t.nullable(t.string()),
  request: message,
  response: message,
});
export type RecordedRequest = Infer<typeof recordedRequest>;

const operation = () => t.annotate(t.line(100), { description: 'Operation id such as orders.create, or the beginning of one.' });
const STATUS = '[1-5](?:\\d\\d|xx)';
const status = () =>
  t.string({ pattern: `^${STATUS}(?:,${STATUS})*$`, hint: 'a status such as 404, or a class such as 5xx, or several joined by commas' });

export const listRecordedRequests = defineAdminOperation('requests.export', 'GET', '/admin/requests', {
  summary: 'Export recorded requests, oldest first',
  description: `The last ${String(RECORDED_REQUESTS_MAX)} requests to the public API with headers and bodies, without secrets, of a service that records them.`,
  query: t.object({
    ...tenantQuery.properties,
    operation: t.optional(operation()),
    status: t.optional(describe(status(), 'Only these statuses or classes of statuses.')),
    since: t.optional(describe(t.timestamp(), 'Only requests from this time on.')),
  }),
  result: t.object({ data: t.array(recordedRequest) }),
  errors: ['NOT_ENABLED'],
});

export const verifyRequests = defineTenantOperation('requests.verify', 'POST', '/admin/requests/verify', {
  summary: 'Verify that requests were received',
  description:
    'Counts recorded requests that match; a `body` matches if the request has all of its fields. Otherwise fails, with the differences to the nearest request in `details`.',
  body: t.object({
    operation: operation(),
    body: t.optional(t.annotate(t.json(), { description: 'Fields that the body of the request must have.' })),
    status: t.optional(describe(status(), 'Statuses or classes of statuses of the response.')),
    since: t.optional(describe(t.timestamp(), 'Only requests from this time on.')),
    count: t.optional(describe(t.int({ min: 0 }), 'Number of matching requests. Default: at least one.')),
  }),
  result: single(t.object({ count: t.int({ min: 0 }) })),
  errors: ['NOT_ENABLED', 'INVALID_STATE'],
  example: { body: { operation: 'orders.create', body: { module: 'sell' }, count: 1 } },
});

export const waitForService = defineAdminOperation('daemon.wait-for', 'GET', '/admin/wait', {
  summary: 'Wait for deliveries of an event, or until none is due',
  description: 'Returns the deliveries. Fails when the time is over.',
  query: t.object({
    ...tenantQuery.properties,
    for: t.annotate(t.enums(['delivery', 'idle', 'delivered']), {
      description: 'delivery: of `event`, in `status`. idle: no delivery is due or being sent. delivered: none waits for a retry either.',
    }),
    event: t.optional(describe(t.enums(SUBSCRIBABLE_EVENTS), 'Event of the deliveries.')),
    status: describe(t.withDefault(t.enums(DELIVERY_STATUSES), 'delivered'), 'Status of the deliveries.'),
    count: t.withDefault(t.annotate(t.int({ min: 1, max: 1_000 }), { description: 'Number of deliveries.' }), 1),
    timeout: t.withDefault(t.annotate(duration(), { description: `How long to wait, at most ${String(WAIT_MAX_S)}s.` }), '5s'),
  }),
  result: t.object({ data: t.array(ownedDelivery) }),
  errors: ['INVALID_STATE'],
  example: { query: { for: 'delivery', event: 'order.created', timeout: '5s' } },
});

export const requestOperations = [listRecordedRequests, verifyRequests, waitForService] as const;
