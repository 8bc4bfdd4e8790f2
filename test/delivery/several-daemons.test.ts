/** Delivery engines of two daemons over one PostgreSQL database, each with connections and leases of its own. */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createTestClock } from '../../src/daemon/service/clocks/clock.ts';
import { createIdGenerator } from '../../src/daemon/service/ordered-ids.ts';
import { DeliveryEngine } from '../../src/delivery/engine.ts';
import { createReplayRunner } from '../../src/delivery/replay-runner.ts';
import type { Sender } from '../../src/delivery/sender.ts';
import { createDelivery } from '../../src/domain/events/delivery-state.ts';
import { PASS_TRACES_ON } from '../../src/domain/kernel/tracing.ts';
import { tables } from '../../src/domain/tables.ts';
import { createTenant } from '../../src/domain/tenancy/tenants.ts';
import type { ReplayRecord } from '../../src/domain/webhooks/records.ts';
import { openDatabaseState, openPostgresStore } from '../../src/store/postgres/index.ts';
import { type Database, createDatabase } from '../support/postgres/databases.ts';
import { NO_SAFETY_POLLS, RULES } from '../support/resources/delivery-store.ts';
import { createWebhookRecord } from '../support/resources/webhook-records.ts';

/** Longer than a busy machine may keep this process from renewing. */
const LEASE_LIFETIME_MS = 4_000;
const newId = createIdGenerator();
let created: Database;
beforeAll(async () => {
  created = await createDatabase();
});
afterAll(() => created[Symbol.asyncDispose]());

/** What was sent, by all daemons. */
interface SentDelivery {
  readonly daemon: string;
  readonly url: string;
  readonly deliveryId: string;
}

async function startDaemon(instanceId: string, sent: SentDelivery[], settings: { readonly listenUrl?: string } = {}) {
  const clock = createTestClock();
  const store = await openPostgresStore({ url: created.url, tables, clock, newId, instanceId, ...settings });
  const state = await openDatabaseState({
    database: store.database,
    self: { instanceId, version: '1', hasTestClock: false },
    onError: () => undefined,
    leaseLifetimeMs: LEASE_LIFETIME_MS,
  });
  const sender: Sender = {
    send({ url, headers, startedAt }) {
      sent.push({ daemon: instanceId, url, deliveryId: headers['X-Service-Delivery-Id']! });
      return Promise.resolve({ startedAt, milliseconds: 0, httpStatus: 200, error: null, retryAfterSeconds: null });
    },
    close: () => Promise.resolve(),
  };
  const engine = new DeliveryEngine({
    tracing: PASS_TRACES_ON,
    store,
    leases: state.leases,
    clock,
    log: { error: () => undefined },
    sender,
    rules: RULES,
    random: () => 0.5,
    userAgent: 'Test/1',
    timeoutMs: 10_000,
    ...NO_SAFETY_POLLS,
  });
  await engine.start();
  let isKilled = false;
  onTestFinished(async () => {
    await engine.drain(0);
    if (isKilled) return;
    await state.close();
    await store.close();
  });
  return {
    store,
    engine,
    /** Takes its connections away. */
    async kill() {
      isKilled = true;
      await store.close();
    },
  };
}

test('two daemons share the endpoints, send each delivery once, and the survivor takes over those of a daemon that is killed', async () => {
  const sent: SentDelivery[] = [];
  const one = await startDaemon('one', sent);
  const tenantId = newId();
  await one.store.transact(tenantId, (tx) => createTenant(tx, tenantId, tx.now, newId, { name: 'Shop', slug: 'shop', plan: 'enterprise' }));
  const webhooks = [1, 2, 3, 4].map((port) => createWebhookRecord({ id: newId(), targetUrl: `http://127.0.0.1:${String(port)}/` }));
  const event = { id: newId(), name: 'inventory.item.created' } as const;
  await one.store.transact(tenantId, async (tx) => {
    await tx.webhooks.putMany(webhooks);
    const body = '{"event":"inventory.item.created","data":{}}';
    await tx.events.put({ id: event.id, event: event.name, position: 1, resourceId: newId(), occurredAt: tx.now.toISOString(), body });
  });
  /** Adds two deliveries for each endpoint and waits until they were sent. */
  const deliver = async ({ store }: Awaited<ReturnType<typeof startDaemon>>) => {
    sent.length = 0;
    await store.transact(tenantId, (tx) =>
      tx.deliveries.putMany([...webhooks, ...webhooks].map(({ id }) => createDelivery(newId(), id, event, tx.now.toISOString()))),
    );
    const countOpen = () =>
      store.read(tenantId, (tx) => tx.deliveries.count({ where: [{ field: 'status', in: ['pending', 'retrying'] }] }));
    await expect.poll(countOpen).toBe(0);
    expect(new Set(sent.map(({ deliveryId }) => deliveryId)).size).toBe(8);
    return Map.groupBy(sent, ({ daemon }) => daemon);
  };
  const countEndpoints = (some: readonly SentDelivery[] | undefined) => new Set(some?.map(({ url }) => url)).size;

  expect([...(await deliver(one)).keys()]).toEqual(['one']);
  const two = await startDaemon('two', sent);
  // Until the leases are shared.
  await expect.poll(async () => countEndpoints((await deliver(one)).get('two'))).toBe(2);
  const shared = await deliver(two);
  expect([countEndpoints(shared.get('one')), countEndpoints(shared.get('two'))]).toEqual([2, 2]);
  expect(sent).toHaveLength(8);

  await one.kill();
  const survived = await deliver(two);
  expect([countEndpoints(survived.get('one')), countEndpoints(survived.get('two'))]).toEqual([0, 4]);
  expect(sent).toHaveLength(8);
});

test.each(['too many changes are committed', 'notifications cannot arrive'])(
  'deliveries that another daemon commits are sent without a safety poll when %s',
  async (reason) => {
    const sent: SentDelivery[] = [];
    const hasNotifications = !reason.startsWith('notifications');
    await startDaemon(`listener: ${reason}`, sent, hasNotifications ? {} : { listenUrl: 'postgres://nobody@127.0.0.1:1/none' });
    const other = await openPostgresStore({ url: created.url, tables });
    onTestFinished(() => other.close());
    const tenantId = newId();
    const webhook = createWebhookRecord({ id: newId(), targetUrl: 'http://127.0.0.1:9/' });
    await other.transact(tenantId, async (tx) => {
      await createTenant(tx, tenantId, tx.now, newId, { name: 'Shop', slug: tenantId, plan: 'enterprise' });
      await tx.webhooks.put(webhook);
    });
    const deliver = (count: number) =>
      other.transact(tenantId, async (tx) => {
        const body = '{"event":"inventory.item.created","data":{}}';
        const occurredAt = tx.now.toISOString();
        for (let position = 1; position <= count; position += 1) {
          const event = { id: newId(), name: 'inventory.item.created' } as const;
          await tx.events.put({ id: event.id, event: event.name, position, resourceId: newId(), occurredAt, body });
          if (position === 1) await tx.deliveries.put(createDelivery(newId(), webhook.id, event, occurredAt));
        }
      });
    await deliver(1);
    await expect.poll(() => sent.length).toBe(1);
    await deliver(hasNotifications ? 500 : 1);
    await expect.poll(() => sent.length).toBe(2);
  },
);

/** A replay that selects nothing. */
function createReplayRecord(webhookId: string, at: string): ReplayRecord {
  return {
    id: newId(),
    webhookId,
    since: at,
    until: at,
    types: null,
    statuses: ['delivered'],
    state: 'running',
    rate: 1,
    selected: 0,
    sent: 0,
    failed: 0,
    oldestAt: null,
    newestAt: null,
    after: null,
    batch: [],
    nextAt: at,
    createdAt: at,
    updatedAt: at,
  };
}

test('a replay of another daemon is continued when the commit that started it had too many changes to list', async () => {
  const [store, other] = [
    await openPostgresStore({ url: created.url, tables, newId }),
    await openPostgresStore({ url: created.url, tables, newId }),
  ];
  const runner = createReplayRunner({ store, clock: { now: () => new Date() }, log: { error: () => undefined } });
  onTestFinished(async () => {
    await runner.close();
    await Promise.all([store.close(), other.close()]);
  });
  await runner.start();
  const tenantId = newId();
  const replay = await other.transact(tenantId, async (tx) => {
    const row = createReplayRecord(newId(), tx.now.toISOString());
    await tx.webhookReplays.put(row);
    await tx.deliveries.putMany(
      Array.from({ length: 500 }, () => {
        const delivery = createDelivery(newId(), newId(), { id: newId(), name: 'inventory.item.created' }, row.createdAt);
        return { ...delivery, status: 'discarded' as const, queue: null };
      }),
    );
    return row;
  });
  // There is no such endpoint, so the first step stops it.
  await expect.poll(() => other.read(tenantId, (tx) => tx.webhookReplays.get(replay.id))).toMatchObject({ state: 'stopped' });
});
