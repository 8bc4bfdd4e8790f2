/** Deletes what has reached the end of its retention: replies, deliveries, events, OAuth grants. */
import { WEBHOOKS_CEILING } from '../../contract/limits.ts';
import { discardExpiredHeldDeliveries, purgeDeliveries } from '../../domain/events/deliveries.ts';
import { listPendingEventIds, purgeEvents } from '../../domain/events/event-log.ts';
import { clampDeliveryTimes, clampGrantExpiry, clampReplyExpiry } from '../../domain/integrity/clock-skew.ts';
import { purgeReplies } from '../../domain/kernel/stored-replies.ts';
import { purgeOAuth } from '../../domain/oauth/issued-keys.ts';
import type { StockroomStore, Tx } from '../../domain/tables.ts';
import { listTenants } from './list-tenants.ts';
import type { RunInBackground } from './background.ts';
import type { ServiceClock } from './clock.ts';

const PURGE_INTERVAL_MS = 3_600_000;
/** Rows per transaction, so that requests do not wait for a purge. */
const BATCH_SIZE = 500;

export interface Retention {
  /** Starts a purge in the background. */
  purge(): void;
  stop(): void;
}

/** Purges now, every hour, and when the clock was moved. */
export function startRetention(store: StockroomStore, clock: ServiceClock, runInBackground: RunInBackground): Retention {
  const purge = () => runInBackground(() => purgeStore(store, clock));
  const unsubscribe = clock.onChange(purge);
  const timer = setInterval(purge, PURGE_INTERVAL_MS).unref();
  purge();
  return {
    purge,
    stop() {
      clearInterval(timer);
      unsubscribe();
    },
  };
}

type PurgeStep = (tx: Tx, now: Date, limit: number) => Promise<number>;
/** Steps over data that belongs to no tenant. */
const GLOBAL_STEPS: readonly PurgeStep[] = [clampGrantExpiry, purgeOAuth];
const TENANT_STEPS: readonly PurgeStep[] = [clampReplyExpiry, clampDeliveryTimes, purgeReplies, purgeDeliveries];

async function purgeStore(store: StockroomStore, clock: ServiceClock): Promise<void> {
  for (const step of GLOBAL_STEPS) await runInBatches((limit) => store.transact('', (tx) => step(tx, clock.now(), limit)));
  for (const { id } of await listTenants(store)) {
    for (const step of TENANT_STEPS) await runInBatches((limit) => store.transact(id, (tx) => step(tx, clock.now(), limit)));
    await discardHeldDeliveries(store, id, clock.now());
    await purgeEventLog(store, id, clock);
  }
}

/** Repeats a step that returns the number of rows it changed, until it changes less than a full batch. */
async function runInBatches(step: (limit: number) => Promise<number>): Promise<void> {
  while ((await step(BATCH_SIZE)) >= BATCH_SIZE);
}

/** Discards the deliveries that paused endpoints have held for too long. */
async function discardHeldDeliveries(store: StockroomStore, tenantId: string, now: Date): Promise<void> {
  const paused = { where: [{ field: 'status', equals: 'paused' }], limit: WEBHOOKS_CEILING };
  const { rows } = await store.read(tenantId, (tx) => tx.webhooks.listAfter(paused));
  for (const { id, pausedAt } of rows)
    await runInBatches((limit) => store.transact(tenantId, (tx) => discardExpiredHeldDeliveries(tx, id, pausedAt ?? '', now, limit)));
}

/** Events that still have to be delivered are kept. */
async function purgeEventLog(store: StockroomStore, tenantId: string, clock: ServiceClock): Promise<void> {
  const pending = await listPendingEventIds((work) => store.read(tenantId, work));
  for (let position: number | undefined = 0; position !== undefined;) {
    const start: number = position;
    position = (await store.transact(tenantId, (tx) => purgeEvents(tx, clock.now(), BATCH_SIZE, start, pending))).next;
  }
}
