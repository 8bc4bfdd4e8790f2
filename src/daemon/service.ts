/** Puts the parts of a service together over a data directory; the daemon, the tests and embedded use all start here. */
import { randomUUID } from 'node:crypto';
import { setInterval } from 'node:timers';
import type { Logger } from 'pino';
import { demoData } from './demo.ts';
import { orderedIds } from './ids.ts';
import { purgeEvents } from '../domain/event-log.ts';
import { purgeReplies } from '../domain/idempotency.ts';
import { tables, type StockroomTables } from '../domain/tables.ts';
import { rateLimiter } from '../http/rate-limit.ts';
import type { Service } from '../http/service.ts';
import { usageMeter } from '../http/usage.ts';
import { type FileStore, openFileStore } from '../store/file/index.ts';
import type { ServiceClock } from './clock.ts';

export interface ServiceOptions {
  readonly directory: string;
  readonly clock: ServiceClock;
  readonly log: Logger;
  readonly version: string;
  /** Requests per minute by tier, instead of what is stored or built in. */
  readonly tiers?: Readonly<Record<string, number>>;
}

export interface RunningService extends Service {
  readonly store: FileStore<StockroomTables>;
  /** From now on every request is refused with 503; those under way go on. */
  beginClosing(): void;
  /** Saves counters, ends timers, closes the store. */
  close(): Promise<void>;
}

const USAGE_SAVE_MS = 5_000;
const PURGE_MS = 3_600_000;
const PURGE_BATCH = 500;

export async function openService({ directory, clock, log, version, tiers = {} }: ServiceOptions): Promise<RunningService> {
  const store = await openFileStore({ directory, tables, onNotice: (notice) => log.warn(notice, 'store') });
  const newId = orderedIds();
  let closing = false;
  const usage = usageMeter();
  const owned = (work: () => Promise<unknown>) => () => {
    work().catch((error: unknown) => log.error({ err: error }, 'background work failed'));
  };
  const purge = owned(async () => {
    for (const { id } of await allTenants(store)) {
      for (const purgeSome of [purgeReplies, purgeEvents]) {
        while ((await store.transact(id, (tx) => purgeSome(tx, clock.now(), PURGE_BATCH))) === PURGE_BATCH);
      }
    }
  });
  const stopFollowing = clock.onChange(purge);
  const timers = [
    setInterval(
      owned(() => usage.save(store, clock.now())),
      USAGE_SAVE_MS,
    ),
    setInterval(purge, PURGE_MS),
  ];
  purge();
  for (const timer of timers) timer.unref();
  return {
    store,
    clock,
    log,
    version,
    usage,
    newId,
    demo: demoData({ store, clock, newId }),
    limiter: rateLimiter({ ...(await storedTiers(store)), ...tiers }),
    instanceId: randomUUID(),
    running: new Set(),
    isClosing: () => closing,
    beginClosing() {
      closing = true;
    },
    async close() {
      closing = true;
      for (const timer of timers) clearInterval(timer);
      stopFollowing();
      try {
        await usage.save(store, clock.now());
      } finally {
        await store.close();
      }
    },
  };
}

/** Every tenant of the store. */
export async function allTenants(store: FileStore<StockroomTables>) {
  return store.read('', async (tx) => (await tx.tenants.after({ limit: 100_000 })).rows);
}

/** Tiers that were set over the admin socket. */
async function storedTiers(store: FileStore<StockroomTables>): Promise<Record<string, number>> {
  const { rows } = await store.read('', (tx) => tx.tiers.after({ limit: 10_000 }));
  return Object.fromEntries(rows.map(({ id, requestsPerMinute }) => [id, requestsPerMinute]));
}
