/** A real store with a tenant and a change log, and a delivery engine over it without the rest of the service. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Plan } from '../../../src/contract/scopes.ts';
import { type TestClock, createTestClock } from '../../../src/daemon/service/clocks/clock.ts';
import { DeliveryEngine, type EngineOptions } from '../../../src/delivery/engine.ts';
import { type Sender, createSender } from '../../../src/delivery/sender.ts';
import { createDelivery } from '../../../src/domain/events/delivery-state.ts';
import type { DeliveryRecord, EventRecord } from '../../../src/domain/events/records.ts';
import { createIdGenerator } from '../../../src/daemon/service/ordered-ids.ts';
import type { NewId } from '../../../src/domain/kernel/ports.ts';
import type { TenantRecord } from '../../../src/domain/kernel/tenant.ts';
import { PASS_TRACES_ON } from '../../../src/domain/kernel/tracing.ts';
import { type StockroomStore, tables } from '../../../src/domain/tables.ts';
import { createTenant } from '../../../src/domain/tenancy/tenants.ts';
import type { WebhookRecord } from '../../../src/domain/webhooks/records.ts';
import { openFileStore } from '../../../src/store/file/index.ts';
import { createLocalState } from '../../../src/store/local-state/index.ts';
import { createWebhookRecord } from './webhook-records.ts';

export const RULES = { scheduleSeconds: [60, 300], overloadSeconds: 60 };

export interface DeliveryStore {
  readonly store: StockroomStore;
  readonly clock: TestClock;
  readonly newId: NewId;
  readonly tenantId: string;
  /** The only event in the change log. */
  readonly event: EventRecord;
  addTenant(plan: Plan): Promise<TenantRecord>;
  addEndpoint(more?: Partial<WebhookRecord>, tenantId?: string): Promise<WebhookRecord>;
  /** Adds deliveries of the event, created and due now, each changed by `change`. */
  addDeliveries(
    webhookId: string,
    count: number,
    change?: (row: DeliveryRecord, index: number) => DeliveryRecord,
  ): Promise<DeliveryRecord[]>;
  /** Every delivery of the tenant, oldest first. */
  listDeliveries(): Promise<DeliveryRecord[]>;
  /** Resolves when `condition` holds for the deliveries of the tenant; checks again after every commit. */
  waitFor(condition: (rows: readonly DeliveryRecord[]) => boolean): Promise<DeliveryRecord[]>;
  /** The instant `seconds` from now, as text. */
  after(seconds: number): string;
}

/** Closed and removed when the test has ended. */
export async function openDeliveryStore(): Promise<DeliveryStore> {
  const directory = await mkdtemp(join(tmpdir(), 'sr-deliveries-'));
  const clock = createTestClock();
  const newId = createIdGenerator();
  const store = await openFileStore({ directory, tables, clock, newId });
  onTestFinished(async () => {
    await store.close();
    await rm(directory, { recursive: true, force: true });
  });
  const addTenant = (plan: Plan) => {
    const id = newId();
    return store.transact(id, (tx) => createTenant(tx, id, clock.now(), newId, { name: 'Shop', slug: `shop-${id}`, plan }));
  };
  const tenantId = (await addTenant('enterprise')).id;
  const event: EventRecord = {
    id: newId(),
    event: 'inventory.item.created',
    position: 1,
    resourceId: newId(),
    occurredAt: clock.now().toISOString(),
    body: '{"event":"inventory.item.created","data":{}}',
  };
  await store.transact(tenantId, (tx) => tx.events.put(event));
  const listDeliveries = async () => (await store.read(tenantId, (tx) => tx.deliveries.listAfter({ limit: 100_000 }))).rows;
  return {
    store,
    clock,
    newId,
    tenantId,
    event,
    addTenant,
    async addEndpoint(more = {}, ofTenant = tenantId) {
      const webhook = createWebhookRecord({ id: newId(), ...more });
      await store.transact(ofTenant, (tx) => tx.webhooks.put(webhook));
      return webhook;
    },
    async addDeliveries(webhookId, count, change = (row) => row) {
      const at = clock.now().toISOString();
      const source = { id: event.id, name: 'inventory.item.created' } as const;
      const rows = Array.from({ length: count }, (_, index) => change(createDelivery(newId(), webhookId, source, at), index));
      await store.transact(tenantId, (tx) => tx.deliveries.putMany(rows));
      return rows;
    },
    listDeliveries,
    waitFor: (condition) => waitForRows(store, listDeliveries, condition),
    after: (seconds) => new Date(clock.now().getTime() + seconds * 1_000).toISOString(),
  };
}

/** Reads the rows again after every commit. */
async function waitForRows<R>(store: StockroomStore, list: () => Promise<R[]>, condition: (rows: readonly R[]) => boolean): Promise<R[]> {
  const changed: { resolve: () => void } = { resolve: () => undefined };
  const stop = store.onCommit(() => changed.resolve());
  try {
    for (;;) {
      const next = new Promise<void>((resolve) => (changed.resolve = resolve));
      const rows = await list();
      if (condition(rows)) return rows;
      await next;
    }
  } finally {
    stop();
  }
}

/** Leases of the only daemon. */
export const { leases: OWNS_ALL } = createLocalState();

/** A sender that reaches receivers on this machine. Closed when the test has ended. */
export function createLocalSender(): Sender {
  const sender = createSender({ targets: { allowLoopback: true, allowSubnets: [], requireHttps: true, ownPorts: () => new Set() } });
  onTestFinished(() => sender.close());
  return sender;
}

/** For tests of a wake-up: without it, the delivery waits until the test times out. */
export const NO_SAFETY_POLLS = { safetyPollMs: 3_600_000 };

/** An engine that is not started. Drained when the test has ended. */
export function createEngine(s: DeliveryStore, more: Partial<EngineOptions> = {}): DeliveryEngine {
  const { store, clock } = s;
  const engine = new DeliveryEngine({
    tracing: PASS_TRACES_ON,
    store,
    clock,
    leases: OWNS_ALL,
    log: { error: () => undefined },
    sender: createLocalSender(),
    rules: RULES,
    random: () => 0.5,
    userAgent: 'Test/1',
    timeoutMs: 10_000,
    outcomeRetryMs: 5,
    ...more,
  });
  onTestFinished(() => engine.drain(0));
  return engine;
}
