/**
 * Deletes what has reached the end of its retention: replies, deliveries, events, OAuth grants and consents.
 *
 * Each step first reads across tenants which of them have rows for it: with thousands of tenants, a transaction for each would take longer
 * than the work itself.
 */
import { WEBHOOKS_CEILING } from '../../contract/limits.ts';
import { discardExpiredHeldDeliveries, purgeDeliveries } from '../../domain/events/deliveries.ts';
import {
  type EventRetention,
  listPendingEventIds,
  purgeEvents,
  whereBeyondMaxEvents,
  whereEventExpired,
} from '../../domain/events/event-log.ts';
import { clampDeliveryTimes, clampGrantExpiry, clampReplyExpiry, whereReplyExpiresLate } from '../../domain/integrity/clock-skew.ts';
import type { Condition } from '../../domain/kernel/ports.ts';
import type { Leases } from '../../domain/kernel/shared-state.ts';
import { purgeReplies, whereReplyExpired } from '../../domain/idempotency/stored-replies.ts';
import { purgeOAuth } from '../../domain/oauth/issued-keys.ts';
import { purgeConsents } from '../../domain/oauth/pending-consents.ts';
import type { StockroomStore, StockroomTables, Tx } from '../../domain/tables.ts';
import type { RunInBackground } from './background.ts';
import type { ServiceClock } from './clocks/clock.ts';

const PURGE_INTERVAL_MS = 3_600_000;
/** Rows per transaction, so that requests do not wait for a purge. */
const BATCH_SIZE = 500;

export interface Retention {
  /** Starts a purge in the background. */
  purge(): void;
  /** Starts no more purges, and gives the lease back. */
  stop(): Promise<void>;
}

/** The name of the only lease. */
const PURGE = 'purge';

interface RetentionOptions {
  readonly store: StockroomStore;
  readonly clock: ServiceClock;
  readonly events: EventRetention;
  readonly leases: Leases;
  readonly runInBackground: RunInBackground;
}

/**
 * Purges now, every hour, and when the clock was moved, if this daemon has the lease. A purge continues when the lease ends: two of them
 * at the same time do no harm, they only cost twice as much.
 */
export function startRetention({ store, clock, events, leases, runInBackground }: RetentionOptions): Retention {
  let running = 0;
  const purgeNow = () =>
    runInBackground(async () => {
      running += 1;
      await purgeStore(store, clock, events).finally(() => (running -= 1));
    });
  const lease = leases.openGroup('retention', { onAcquired: purgeNow, isBusy: () => running > 0 });
  lease.setNames([PURGE]);
  const purge = () => {
    if (lease.isOwned(PURGE)) purgeNow();
  };
  const unsubscribe = clock.onChange(purge);
  const timer = setInterval(purge, PURGE_INTERVAL_MS).unref();
  purge();
  return {
    purge,
    async stop() {
      clearInterval(timer);
      unsubscribe();
      await lease.close();
    },
  };
}

type PurgeStep = (tx: Tx, now: Date, limit: number) => Promise<number>;
/** Steps over data that belongs to no tenant. */
const GLOBAL_STEPS: readonly PurgeStep[] = [clampGrantExpiry, purgeOAuth, purgeConsents];
/** Steps over data of a tenant that has rows in `table` matching `where`. */
const TENANT_STEPS: readonly {
  readonly table: keyof StockroomTables;
  readonly where: (now: Date) => readonly Condition[];
  readonly run: PurgeStep;
}[] = [
  { table: 'idempotency', where: (now) => [whereReplyExpiresLate(now)], run: clampReplyExpiry },
  { table: 'webhooks', where: () => [], run: clampDeliveryTimes },
  { table: 'idempotency', where: (now) => [whereReplyExpired(now)], run: purgeReplies },
  { table: 'deliveries', where: () => [], run: purgeDeliveries },
];
const WHERE_PAUSED: Condition = { field: 'status', equals: 'paused' };

async function purgeStore(store: StockroomStore, clock: ServiceClock, events: EventRetention): Promise<void> {
  for (const step of GLOBAL_STEPS) await runInBatches((limit) => store.transact('', (tx) => step(tx, tx.now, limit)));
  for (const { table, where, run } of TENANT_STEPS)
    for (const tenant of await listTenants(store, clock, table, where(clock.now())))
      await runInBatches((limit) => store.transact(tenant, (tx) => run(tx, tx.now, limit)));
  for (const { tenant } of await store.readFirstRows('webhooks', { where: [WHERE_PAUSED] })) await discardHeldDeliveries(store, tenant);
  for (const tenant of await listTenantsWithSurplusEvents(store, clock, events)) await purgeEventLog(store, tenant, events);
}

/** Those with rows that match at the time of the service, and those whose clock is another. */
async function listTenants(store: StockroomStore, clock: ServiceClock, table: keyof StockroomTables, where: readonly Condition[]) {
  const found = (await store.readFirstRows(table, { where })).map(({ tenant }) => tenant);
  return new Set([...found, ...clock.listTenants()]);
}

/** Repeats a step that returns the number of rows it changed, until it changes less than a full batch. */
async function runInBatches(step: (limit: number) => Promise<number>): Promise<void> {
  while ((await step(BATCH_SIZE)) >= BATCH_SIZE);
}

/** Discards the deliveries that paused endpoints have held for too long. */
async function discardHeldDeliveries(store: StockroomStore, tenantId: string): Promise<void> {
  const paused = { where: [WHERE_PAUSED], limit: WEBHOOKS_CEILING };
  const { rows } = await store.read(tenantId, (tx) => tx.webhooks.listAfter(paused));
  for (const { id, pausedAt } of rows)
    await runInBatches((limit) => store.transact(tenantId, (tx) => discardExpiredHeldDeliveries(tx, id, pausedAt ?? '', tx.now, limit)));
}

async function listTenantsWithSurplusEvents(store: StockroomStore, clock: ServiceClock, events: EventRetention): Promise<Set<string>> {
  const crowded = await store.readFirstRows('events', { where: [whereBeyondMaxEvents(events)] });
  const expired = await store.readFirstRows('events', { where: [whereEventExpired(clock.now(), events)] });
  const newest = expired.length === 0 ? [] : await store.readFirstRows('events', { descending: true });
  const newestIds = new Set(newest.map(({ row }) => row.id));
  // A tenant without recent events keeps the newest one for good.
  const surplus = [...crowded, ...expired.filter(({ row }) => !newestIds.has(row.id))].map(({ tenant }) => tenant);
  return new Set([...surplus, ...clock.listTenants()]);
}

/** Events that still have to be delivered are kept. */
async function purgeEventLog(store: StockroomStore, tenantId: string, retention: EventRetention): Promise<void> {
  const pending = await listPendingEventIds((work) => store.read(tenantId, work));
  for (let position: number | undefined = 0; position !== undefined;) {
    const from: number = position;
    const options = { limit: BATCH_SIZE, retention, from, keep: pending };
    position = (await store.transact(tenantId, (tx) => purgeEvents(tx, tx.now, options))).next;
  }
}
