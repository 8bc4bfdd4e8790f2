/** Outcomes of attempts in the store: deliveries, the health of their endpoints, and the size of the delivery log. */
import { expect, test } from 'vitest';
import { DELIVERY_LOG_MAX_ROWS } from '../../src/contract/limits.ts';
import { type AttemptResult, recordResults } from '../../src/delivery/record-results.ts';
import { purgeDeliveries } from '../../src/domain/events/deliveries.ts';
import { toDiscarded } from '../../src/domain/events/delivery-state.ts';
import type { DeliveryRecord } from '../../src/domain/events/records.ts';
import type { WebhookRecord } from '../../src/domain/webhooks/records.ts';
import { type DeliveryStore, RULES, openDeliveryStore } from '../support/resources/delivery-store.ts';

const DAY_MS = 86_400_000;

const record = ({ store, tenantId }: DeliveryStore, results: readonly AttemptResult[], random = () => 0.5) =>
  recordResults({ store, rules: RULES, random }, tenantId, results);

/** The result of an attempt with a status; of none without one, because the event is gone. */
function toResult(
  s: DeliveryStore,
  webhook: WebhookRecord,
  { id, attempts = 0 }: Pick<DeliveryRecord, 'id'> & Partial<Pick<DeliveryRecord, 'attempts'>>,
  httpStatus: number | null,
): AttemptResult {
  const error = httpStatus === 200 ? null : httpStatus === 410 ? 'endpoint_gone' : 'http_500';
  const outcome =
    httpStatus === null ? null : ({ startedAt: s.clock.now(), milliseconds: 7, httpStatus, error, retryAfterSeconds: null } as const);
  return { tenantId: s.tenantId, webhookId: webhook.id, deliveryId: id, attempts, targetUrl: webhook.targetUrl, outcome };
}

const getHealth = (s: DeliveryStore, id: string) => s.store.read(s.tenantId, (tx) => tx.webhookHealth.get(id));
const getStatus = async (s: DeliveryStore, id: string) => (await s.store.read(s.tenantId, (tx) => tx.webhooks.get(id)))?.status;

test('results of several endpoints are stored in one commit, each retry with a jitter of its own', async () => {
  const s = await openDeliveryStore();
  const [one, two] = [await s.addEndpoint(), await s.addEndpoint()];
  const [a, b] = await s.addDeliveries(one.id, 2);
  const [c] = await s.addDeliveries(two.id, 1);
  if (!a || !b || !c) throw new Error('there are three deliveries');
  let commits = 0;
  s.store.onCommit(() => (commits += 1));
  const jitters = [0, 1, 0.5];
  const results = [toResult(s, one, a, 500), toResult(s, one, b, 500), toResult(s, two, c, 200)];
  const recorded = await record(s, results, () => jitters.shift() ?? NaN);
  const rows = await s.listDeliveries();
  expect(commits).toBe(1);
  expect(recorded).toEqual(rows.map((delivery, index) => ({ tenantId: s.tenantId, delivery, outcome: results[index]?.outcome })));
  expect(rows.map(({ status, attempts }) => [status, attempts])).toEqual([
    ['retrying', 1],
    ['retrying', 1],
    ['delivered', 1],
  ]);
  expect(rows.slice(0, 2).map((row) => Date.parse(row.dueAt) - Date.parse(row.updatedAt))).toEqual([48_000, 72_000]);
});

test('a delivery whose event is gone is discarded; one that has ended meanwhile stays as it is', async () => {
  const s = await openDeliveryStore();
  const webhook = await s.addEndpoint();
  const [open] = await s.addDeliveries(webhook.id, 1);
  const [ended] = await s.addDeliveries(webhook.id, 1, (row) => toDiscarded(row, 'held_too_long', s.clock.now()));
  if (!open || !ended) throw new Error('there are two deliveries');
  s.clock.advance(5);
  const recorded = await record(s, [toResult(s, webhook, open, null), toResult(s, webhook, ended, null)]);
  expect(recorded.map(({ delivery, outcome }) => [delivery.lastError, outcome])).toEqual([
    ['event_expired', null],
    ['held_too_long', null],
  ]);
  const rows = await s.listDeliveries();
  expect(rows[0]).toMatchObject({ status: 'discarded', attempts: 0, queue: null });
  expect(Date.parse(rows[0]?.updatedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(open.createdAt) + 5_000);
  expect(rows[1]).toEqual(ended);
  expect(await getHealth(s, webhook.id)).toBeUndefined();
});

test('the result for a delivery or an endpoint that was deleted meanwhile writes nothing', async () => {
  const s = await openDeliveryStore();
  const webhook = await s.addEndpoint();
  const gone = { ...webhook, id: s.newId() };
  expect(await record(s, [toResult(s, gone, { id: s.newId() }, 500)])).toEqual([]);
  expect(await getHealth(s, gone.id)).toBeUndefined();
  expect(await s.listDeliveries()).toEqual([]);
  // Of a delivery that is gone, the attempt still counts for the endpoint.
  await record(s, [toResult(s, webhook, { id: s.newId() }, 500)]);
  expect(await getHealth(s, webhook.id)).toMatchObject({ failedAttempts: 1 });
});

test('a result is dropped if another attempt of the delivery was stored since it started, and counts for no endpoint', async () => {
  const s = await openDeliveryStore();
  const webhook = await s.addEndpoint();
  const [a, b, c] = await s.addDeliveries(webhook.id, 3);
  const stored = await record(s, [toResult(s, webhook, a!, 500), toResult(s, webhook, b!, 200)]);
  const rows = await s.listDeliveries();
  expect(await record(s, [toResult(s, webhook, b!, 500), toResult(s, webhook, a!, 200), toResult(s, webhook, b!, null)])).toEqual([]);
  expect(await s.listDeliveries()).toEqual(rows);
  expect([await getHealth(s, webhook.id), stored.length]).toEqual([undefined, 2]);
  expect(await record(s, [toResult(s, webhook, a!, 200), toResult(s, webhook, c!, 500)])).toHaveLength(1);
  expect(await getHealth(s, webhook.id)).toMatchObject({ failedAttempts: 1 });
});

test('every failure counts until a success, since the first one', async () => {
  const s = await openDeliveryStore();
  const webhook = await s.addEndpoint();
  const rows = await s.addDeliveries(webhook.id, 5);
  const since = s.clock.now().toISOString();
  await record(
    s,
    rows.slice(0, 2).map((row) => toResult(s, webhook, row, 500)),
  );
  const first = await getHealth(s, webhook.id);
  expect(first).toMatchObject({ failedAttempts: 2 });
  expect(first && first.failingSince >= since).toBe(true);
  s.clock.advance(60);
  await record(s, [toResult(s, webhook, rows[2]!, 500)]);
  expect(await getHealth(s, webhook.id)).toEqual({ ...first, failedAttempts: 3 });
  await record(s, [toResult(s, webhook, rows[3]!, 200)]);
  expect(await getHealth(s, webhook.id)).toBeUndefined();
  // An attempt at a previous URL counts for nothing.
  await record(s, [toResult(s, { ...webhook, targetUrl: 'http://127.0.0.1:9/before' }, rows[4]!, 410)]);
  expect([await getHealth(s, webhook.id), await getStatus(s, webhook.id)]).toEqual([undefined, 'active']);
});

test('a 410 disables its endpoint alone, and the returned deliveries are the current ones', async () => {
  const s = await openDeliveryStore();
  const [gone, other] = [await s.addEndpoint(), await s.addEndpoint()];
  const [a, b] = await s.addDeliveries(gone.id, 2);
  const [c] = await s.addDeliveries(other.id, 1);
  const recorded = await record(s, [toResult(s, gone, b!, 500), toResult(s, gone, a!, 410), toResult(s, other, c!, 500)]);
  expect(recorded.map(({ delivery }) => [delivery.id, delivery.status])).toEqual([
    [b!.id, 'discarded'],
    [a!.id, 'failed'],
    [c!.id, 'retrying'],
  ]);
  expect([await getStatus(s, gone.id), await getStatus(s, other.id)]).toEqual(['disabled', 'active']);
  const { rows: audit } = await s.store.read(s.tenantId, (tx) => tx.auditEvents.listAfter({ limit: 10 }));
  expect(audit).toMatchObject([
    {
      actorType: 'system',
      actorId: 'deliveries',
      action: 'webhook.auto_disabled',
      resourceId: gone.id,
      ipAddress: null,
      metadata: { reason: 'endpoint_gone' },
    },
  ]);
});

test('failures over 120 hours disable the endpoint at the tenth attempt, by an attempt that counts', async () => {
  const s = await openDeliveryStore();
  const webhook = await s.addEndpoint();
  const failingSince = s.clock.now().toISOString();
  const fail = async (failedAttempts: number, targetUrl = webhook.targetUrl) => {
    await s.store.transact(s.tenantId, (tx) => tx.webhookHealth.put({ id: webhook.id, failingSince, failedAttempts }));
    const [row] = await s.addDeliveries(webhook.id, 1);
    await record(s, [toResult(s, { ...webhook, targetUrl }, row!, 500)]);
    return getStatus(s, webhook.id);
  };
  expect(await fail(9)).toBe('active');
  s.clock.advance(120 * 3_600);
  expect(await fail(8)).toBe('active');
  expect(await fail(20, 'http://127.0.0.1:9/before')).toBe('active');
  expect(await fail(9)).toBe('disabled');
  const { rows: audit } = await s.store.read(s.tenantId, (tx) => tx.auditEvents.listAfter({ limit: 10 }));
  expect(audit.map(({ metadata }) => metadata['reason'])).toEqual(['failing_too_long']);
});

test('a commit of outcomes deletes the oldest ended deliveries once the log is 500 rows over its limit', async () => {
  const s = await openDeliveryStore();
  const webhook = await s.addEndpoint();
  const [open] = await s.addDeliveries(webhook.id, 1);
  const before = s.clock.now().getTime() - DAY_MS;
  const ended = await s.addDeliveries(webhook.id, DELIVERY_LOG_MAX_ROWS + 499, (row, index) =>
    toDiscarded(row, 'held_too_long', new Date(before + index)),
  );
  await record(s, [toResult(s, webhook, open!, 500)]);
  expect(await s.listDeliveries()).toHaveLength(DELIVERY_LOG_MAX_ROWS + 500);
  await s.addDeliveries(webhook.id, 1);
  await record(s, [toResult(s, webhook, open!, 500)]);
  const left = new Set((await s.listDeliveries()).map(({ id }) => id));
  // One for the row that was written, and 50 more.
  expect(ended.filter(({ id }) => !left.has(id))).toEqual(ended.slice(0, 51));
  expect(left.size).toBe(DELIVERY_LOG_MAX_ROWS + 501 - 51);
});

test('a purge deletes the oldest ended deliveries beyond the limit of the log, and never an open one', async () => {
  const s = await openDeliveryStore();
  const { id } = await s.addEndpoint();
  const open = await s.addDeliveries(id, 2);
  const before = s.clock.now().getTime() - DAY_MS;
  // The last ones written ended first.
  const ended = await s.addDeliveries(id, DELIVERY_LOG_MAX_ROWS, (row, index) =>
    toDiscarded(row, 'held_too_long', new Date(before - index)),
  );
  const purge = (limit: number) => s.store.transact(s.tenantId, (tx) => purgeDeliveries(tx, s.clock.now(), limit));
  expect([await purge(1), await purge(500), await purge(500)]).toEqual([1, 1, 0]);
  const left = new Set((await s.listDeliveries()).map((row) => row.id));
  expect(left.size).toBe(DELIVERY_LOG_MAX_ROWS);
  expect([...open, ...ended].filter((row) => !left.has(row.id))).toEqual(ended.slice(-2));
});

test('a purge deletes the deliveries that ended more than 30 days ago, and never an open one', async () => {
  const s = await openDeliveryStore();
  const { id } = await s.addEndpoint();
  const now = s.clock.now();
  const old = (ageMs: number) => new Date(now.getTime() - ageMs).toISOString();
  const ages = [30 * DAY_MS + 1, 30 * DAY_MS, 40 * DAY_MS, 29 * DAY_MS];
  const ended = await s.addDeliveries(id, 4, (row, index) => ({ ...row, status: 'delivered', queue: null, dueAt: old(ages[index] ?? 0) }));
  const open = await s.addDeliveries(id, 1, (row) => ({ ...row, createdAt: old(40 * DAY_MS), dueAt: old(40 * DAY_MS) }));
  const purge = (limit: number) => s.store.transact(s.tenantId, (tx) => purgeDeliveries(tx, now, limit));
  expect([await purge(1), await purge(10), await purge(10)]).toEqual([1, 1, 0]);
  const left = new Set((await s.listDeliveries()).map((row) => row.id));
  expect([...ended, ...open].filter((row) => !left.has(row.id))).toEqual([ended[0], ended[2]]);
});
