/** Puts the parts of a service together over a data directory; the daemon, the tests and embedded use all start here. */
import { randomUUID } from 'node:crypto';
import { networkInterfaces } from 'node:os';
import { setInterval } from 'node:timers';
import type { Logger } from 'pino';
import { demoData } from './demo.ts';
import { orderedIds } from './ids.ts';
import { DeliveryEngine } from '../delivery/engine.ts';
import { type Resolve } from '../delivery/target.ts';
import { createSender } from '../delivery/send.ts';
import { withFaults } from '../delivery/faulty.ts';
import { deliveryTools } from '../delivery/tools.ts';
import { presentOwned } from '../api/admin/webhooks.ts';
import { createFeed } from './feed.ts';
import { tellChanges } from './feed-changes.ts';
import type { FeedData } from '../contract/admin/feed.ts';
import { discardHeld, purgeDeliveries } from '../domain/deliveries.ts';
import { eventsToSend, purgeEvents } from '../domain/event-log.ts';
import { hastenDeliveries, shortenGrants, shortenReplies } from '../domain/far-ahead.ts';
import { purgeReplies } from '../domain/idempotency.ts';
import { OPERATIONS } from '../contract/index.ts';
import { WEBHOOKS_CEILING } from '../contract/limits.ts';
import { createFaults } from '../domain/faults.ts';
import { StoreUnavailable } from '../domain/ports.ts';
import { tables, type StockroomTables } from '../domain/tables.ts';
import { purgeOAuth } from '../domain/issued-keys.ts';
import { oauthState } from '../http/oauth/state.ts';
import { rateLimiter } from '../http/rate-limit.ts';
import type { Service } from '../http/service.ts';
import { usageMeter } from '../http/usage.ts';
import { toolEndpoint } from '../mcp/endpoint.ts';
import { type FileStore, openFileStore } from '../store/file/index.ts';
import type { ServiceClock } from './clock.ts';
import { snapshotShelf } from './snapshots.ts';
import { newestRecord } from './newest.ts';
import { allTenants } from './tenants.ts';
import { DEFAULT_WEBHOOKS, type WebhookSettings } from './webhook-settings.ts';

export interface ServiceOptions {
  readonly directory: string;
  readonly clock: ServiceClock;
  readonly log: Logger;
  readonly version: string;
  /** Requests per minute by tier, instead of what is stored or built in. */
  readonly tiers?: Readonly<Record<string, number>>;
  readonly webhooks?: Partial<WebhookSettings>;
  /** For tests: instead of DNS. */
  readonly resolve?: Resolve;
  /** Milliseconds that deliveries under way may take at the stop. Default: 5 s. */
  readonly drainMs?: number;
}

export interface RunningService extends Service {
  readonly store: FileStore<StockroomTables>;
  /** Sentences for whoever started it. */
  readonly notices: readonly string[];
  /** Takes up the deliveries that are due; until then they wait. */
  startDeliveries(): Promise<void>;
  /** Finishes the deliveries that are under way and begins no more. */
  drainDeliveries(): Promise<void>;
  /** A port on which this service listens: no delivery may go there. */
  listensOn(port: number): void;
  /** From now on every request is refused with 503; those under way go on. */
  beginClosing(): void;
  /** Saves counters, ends timers, closes the store. */
  close(): Promise<void>;
}

/** Asked anew each time: networks come and go. */
const ownAddresses = () =>
  new Set(
    Object.values(networkInterfaces())
      .flatMap((each) => each ?? [])
      .map(({ address }) => address),
  );

const USAGE_SAVE_MS = 5_000;
const PURGE_MS = 3_600_000;
const PURGE_BATCH = 500;
const DRAIN_MS = 5_000;

export async function openService({
  directory,
  clock,
  log,
  version,
  tiers = {},
  webhooks = {},
  resolve,
  drainMs = DRAIN_MS,
}: ServiceOptions): Promise<RunningService> {
  const store = await openFileStore({ directory, tables, onNotice: (notice) => log.warn(notice, 'store') });
  const newId = orderedIds();
  /** A sentence when what is stored lies so far ahead that the clock cannot go on behind it. */
  const catchUp = async (): Promise<string | undefined> => {
    const newest = await newestRecord(store);
    return newest && clock.goOnBehind(newest) > 0 ? disorder(newest, clock.now()) : undefined;
  };
  const aheadOfTime = await catchUp();
  let closing = false;
  const usage = usageMeter();
  const owned = (work: () => Promise<unknown>) => () => {
    work().catch((error: unknown) => {
      // It goes on with the next start.
      if (!(closing && error instanceof StoreUnavailable)) log.error({ err: error }, 'background work failed');
    });
  };
  const purge = owned(async () => {
    for (const purgeSome of [shortenGrants, purgeOAuth]) {
      while ((await store.transact('', (tx) => purgeSome(tx, clock.now(), PURGE_BATCH))) >= PURGE_BATCH);
    }
    for (const { id } of await allTenants(store)) {
      for (const purgeSome of [shortenReplies, hastenDeliveries, purgeReplies, purgeDeliveries]) {
        while ((await store.transact(id, (tx) => purgeSome(tx, clock.now(), PURGE_BATCH))) >= PURGE_BATCH);
      }
      await purgeHeld(store, id, clock.now());
      const keep = await eventsToSend((work) => store.read(id, work));
      for (let from: number | undefined = 0; from !== undefined;) {
        const start: number = from;
        from = (await store.transact(id, (tx) => purgeEvents(tx, clock.now(), PURGE_BATCH, start, keep))).next;
      }
    }
  });
  const stopPurging = clock.onChange(purge);
  const timers = [
    setInterval(
      owned(() => usage.save(store)),
      USAGE_SAVE_MS,
    ),
    setInterval(purge, PURGE_MS),
  ];
  purge();
  const settings = { ...DEFAULT_WEBHOOKS, ...webhooks };
  const ownPorts = new Set<number>();
  const targets = { ...settings, ownPorts: () => ownPorts, ownAddresses };
  const instanceId = randomUUID();
  const feed = createFeed(instanceId);
  const faults = createFaults({
    now: () => clock.now(),
    random: Math.random,
    operations: OPERATIONS,
    onChange() {
      const set = faults.list();
      if (set.length === 0) log.info('faults that were set on purpose have ended');
      else log.warn({ faults: set.map(({ target }) => target) }, 'faults set on purpose');
      feed.publish('faults', null, { faults: set });
    },
  });
  const makeSender = () => withFaults(createSender({ targets, ...(resolve ? { resolve } : {}) }), faults);
  let sender = makeSender();
  const userAgent = `Stockroom-Webhooks/${version}`;
  const makeEngine = () =>
    new DeliveryEngine({
      store,
      clock,
      log,
      newId,
      sender,
      rules: settings,
      random: Math.random,
      userAgent,
      timeoutMs: settings.timeoutSeconds * 1_000,
      onRecorded: ({ tenantId, delivery }) => {
        if (feed.wants('delivery')) feed.publish('delivery', tenantId, presentOwned(delivery));
      },
    });
  let engine = makeEngine();
  let delivers = false;
  const stopTelling = tellChanges(store, feed, (id) => engine.isRecording(id));
  let draining: Promise<void> | undefined;
  let restoring: Promise<void> | undefined;
  const drainDeliveries = () => (draining ??= Promise.resolve(restoring?.catch(() => undefined)).then(() => engine.drain(drainMs)));
  const limiter = rateLimiter({ ...(await storedTiers(store)), ...tiers });

  /** Lets other data take the place of these, with nothing of them left in memory. */
  async function restore(path: string | undefined): Promise<void> {
    let drained = false;
    const quiet = async () => {
      drained = true;
      await engine.drain(drainMs);
      await usage.save(store);
    };
    try {
      await store.restore(path, quiet);
      limiter.replaceTiers({ ...(await storedTiers(store)), ...tiers });
      const ahead = await catchUp();
      if (ahead !== undefined) log.warn(ahead);
      // What waits in these data waits by the clock of whoever saved them.
      purge();
      // Whoever follows has to read everything anew.
      feed.publish('gap', null, { dataReplaced: true } satisfies FeedData['gap']);
    } finally {
      if (drained) {
        sender = makeSender();
        engine = makeEngine();
        if (delivers && !closing) await engine.start();
      }
    }
  }
  for (const timer of timers) timer.unref();
  return {
    store,
    notices: aheadOfTime === undefined ? [] : [aheadOfTime],
    clock,
    log,
    version,
    usage,
    newId,
    demo: demoData({ store, clock, newId }),
    limiter,
    instanceId,
    oauth: oauthState(),
    running: new Set(),
    isClosing: () => closing,
    targets,
    feed,
    tools: toolEndpoint(version),
    faults,
    // The sender is another one after the data have been replaced.
    deliveries: deliveryTools({ sender: { send: (post) => sender.send(post), close: () => sender.close() }, clock, userAgent }),
    snapshots: snapshotShelf({
      directory,
      store,
      clock,
      newId,
      log,
      version,
      restore: (path) => (restoring = restore(path)),
    }),
    startDeliveries() {
      delivers = true;
      return engine.start();
    },
    drainDeliveries,
    listensOn: (port) => void ownPorts.add(port),
    beginClosing() {
      closing = true;
    },
    async close() {
      closing = true;
      for (const timer of timers) clearInterval(timer);
      stopPurging();
      stopTelling();
      try {
        await drainDeliveries();
        await usage.save(store);
      } finally {
        await store.close();
      }
    },
  };
}

const disorder = (newest: Date, now: Date): string =>
  `The newest change was recorded at ${newest.toISOString()}, but this machine's clock says ${now.toISOString()}: ` +
  'until then new changes come before it, so whoever follows the audit trail must begin anew, without a cursor and with `until` before it.';

/** What paused endpoints have held for too long. */
async function purgeHeld(store: FileStore<StockroomTables>, tenantId: string, now: Date): Promise<void> {
  const paused = { where: [{ field: 'status', equals: 'paused' }], limit: WEBHOOKS_CEILING };
  const { rows } = await store.read(tenantId, (tx) => tx.webhooks.after(paused));
  for (const { id, pausedAt } of rows) {
    const some = () => store.transact(tenantId, (tx) => discardHeld(tx, id, pausedAt ?? '', now, PURGE_BATCH));
    while ((await some()) === PURGE_BATCH);
  }
}

/** Tiers that were set over the admin socket. */
async function storedTiers(store: FileStore<StockroomTables>): Promise<Record<string, number>> {
  const { rows } = await store.read('', (tx) => tx.tiers.after({ limit: 10_000 }));
  return Object.fromEntries(rows.map(({ id, requestsPerMinute }) => [id, requestsPerMinute]));
}
