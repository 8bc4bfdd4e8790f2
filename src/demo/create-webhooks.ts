/**
 * The webhook endpoints of a demo tenant, with the deliveries of its latest events: as their receivers would have answered at the time, and
 * a few that are due now. Bounded, so that a start sends only a few requests.
 */
import { isWebhookEvent } from '../contract/change-events.ts';
import { RETRY_SCHEDULE_S } from '../contract/limits.ts';
import type { Context } from '../domain/kernel/context.ts';
import { applyAttempt, createDelivery, isOpen } from '../domain/events/delivery-state.ts';
import type { AttemptRecord, DeliveryRecord } from '../domain/events/records.ts';
import type { ReadTx, Tx } from '../domain/tables.ts';
import { createWebhook, updateWebhook } from '../domain/webhooks/endpoints.ts';
import { updateHealth } from '../domain/webhooks/health.ts';
import type { WebhookHealthRecord } from '../domain/webhooks/records.ts';
import type { TargetPolicy } from '../domain/webhooks/target-policy.ts';
import type { DemoTenant, DemoWebhook } from './scenario.ts';
import { createSeededIds } from './seeded-ids.ts';
import { type DemoReceiver, getDemoWebhookId, getReceiverPort, toTargetUrl } from './webhook-addresses.ts';
import { BUSY_BODY, countFailures, getAnswer } from './webhook-answers.ts';

/** The newest deliveries of an endpoint that are recorded as sent. */
const RECORDED_DELIVERIES = 40;
/** The receivers are on this machine, which every policy allows. */
const LOOPBACK_ONLY: TargetPolicy = { allowLoopback: true, allowSubnets: [], requireHttps: true, ownPorts: () => new Set() };
const RETRY_RULES = { scheduleSeconds: RETRY_SCHEDULE_S, overloadSeconds: 0 };
const NO_JITTER = 0.5;
const BUSY_RESPONSE = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(BUSY_BODY), isTruncated: false };

/** Creates the endpoints. `port` is that of the receivers; `createContext` gives the context of a change days ago. */
export async function createDemoWebhooks(
  tx: Tx,
  { slug, webhooks }: DemoTenant,
  port: number,
  createContext: (daysAgo: number) => Context,
): Promise<void> {
  for (const endpoint of webhooks) {
    const { receiver, name, description, subscribedEvents, createdDaysAgo } = endpoint;
    const created = createContext(createdDaysAgo);
    const id = getDemoWebhookId(slug, receiver);
    const ids = [id];
    const draft = { name, description, targetUrl: toTargetUrl(port, receiver), subscribedEvents, status: 'active' } as const;
    await createWebhook(tx, { ...created, newId: () => ids.pop() ?? created.newId() }, draft, 'development', LOOPBACK_ONLY);
    const newId = createSeededIds(`deliveries ${id}`);
    const deliveries = await listDeliveries(tx, endpoint, { id, newId, since: created.now, now: createContext(0).now });
    await tx.deliveries.putMany(deliveries);
    const health = computeHealth(id, deliveries);
    if (health) await tx.webhookHealth.put(health);
  }
}

interface Endpoint {
  readonly id: string;
  readonly newId: () => string;
  readonly since: Date;
  readonly now: Date;
}

/** The deliveries of the newest events since an instant, oldest first. */
async function listDeliveries(
  tx: Tx,
  { receiver, subscribedEvents, due: { count, failures } }: DemoWebhook,
  { id: webhookId, newId, since, now }: Endpoint,
): Promise<DeliveryRecord[]> {
  const where = [{ field: 'occurredAt', from: since.toISOString() }];
  const { rows } = await tx.events.listAfter({ where, descending: true, limit: Number.MAX_SAFE_INTEGER });
  const newest = rows.flatMap(({ id, event: name, occurredAt }) =>
    isWebhookEvent(name) && subscribedEvents.includes(name) ? [{ id, name, occurredAt }] : [],
  );
  const due = newest.filter(({ id }) => countFailures(receiver, id) === failures).slice(0, count);
  const sent = newest.filter((event) => !due.includes(event)).slice(0, RECORDED_DELIVERIES);
  return [
    ...sent.reverse().map((event) => replayAttempts(createDelivery(newId(), webhookId, event, event.occurredAt), receiver, now)),
    ...due.map((event) => createDelivery(newId(), webhookId, event, now.toISOString())),
  ];
}

/** The delivery after all attempts that were due before `now`. */
function replayAttempts(delivery: DeliveryRecord, receiver: DemoReceiver, now: Date): DeliveryRecord {
  let current = delivery;
  while (isOpen(current)) {
    const { status, milliseconds } = getAnswer(receiver, current.eventId, current.attempts + 1);
    const startedAt = new Date(current.dueAt);
    if (startedAt.getTime() + milliseconds >= now.getTime()) break;
    const error = status === 200 ? null : (`http_${String(status)}` as `http_${number}`);
    const response = error === null ? {} : { response: BUSY_RESPONSE };
    const outcome = { startedAt, milliseconds, httpStatus: status, error, retryAfterSeconds: null, ...response };
    current = applyAttempt(current, outcome, RETRY_RULES, NO_JITTER);
  }
  return current;
}

function computeHealth(webhookId: string, deliveries: readonly DeliveryRecord[]): WebhookHealthRecord | undefined {
  const attempts = deliveries.flatMap(({ history = [] }): readonly AttemptRecord[] => history).sort((a, b) => (a.at < b.at ? -1 : 1));
  let health: WebhookHealthRecord | undefined;
  for (const { at, error } of attempts) health = updateHealth(health, webhookId, error, at);
  return health;
}

/** The endpoints of a tenant that still have the receivers of the demo. */
export async function listDemoWebhooks(tx: ReadTx, { slug, webhooks }: DemoTenant) {
  const found: { readonly id: string; readonly receiver: DemoReceiver; readonly port: number; readonly secret: string }[] = [];
  for (const { receiver } of webhooks) {
    const webhook = await tx.webhooks.get(getDemoWebhookId(slug, receiver));
    if (!webhook) continue;
    const port = getReceiverPort(webhook.targetUrl, receiver);
    if (port !== undefined) found.push({ id: webhook.id, receiver, port, secret: webhook.secret });
  }
  return found;
}

/** Points these endpoints to the port on which the receivers listen now. */
export async function moveDemoWebhooks(tx: Tx, scenario: DemoTenant, port: number, createContext: () => Context): Promise<void> {
  for (const webhook of await listDemoWebhooks(tx, scenario)) {
    if (webhook.port === port) continue;
    await updateWebhook(tx, createContext(), webhook.id, { targetUrl: toTargetUrl(port, webhook.receiver) }, LOOPBACK_ONLY);
  }
}
