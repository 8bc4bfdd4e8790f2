/**
 * A whole service inside the process of somebody else, over a directory of its own that goes when it stops: the same store, rules, server
 * and deliveries as a daemon's, with the test clock. What makes a daemon of it is left out: lock, state file, log file, signals, socket.
 */
import { join } from 'node:path';
import type { Server } from '@hapi/hapi';
import { pino } from 'pino';
import type { LoadedDemoTenant } from '../contract/admin/demo.ts';
import type { Tenant } from '../contract/admin/tenants.ts';
import { DEFAULT_HOST } from '../contract/places.ts';
import { type Plan, SCOPES } from '../contract/scopes.ts';
import { createKey } from '../domain/keys.ts';
import { createTenant } from '../domain/tenants.ts';
import { adminServer } from '../http/admin.ts';
import { apiServer } from '../http/server.ts';
import { type TestClock, testClock } from './clock.ts';
import { type RunningService, openService } from './service.ts';
import { temporaryDirectory } from './temporary.ts';
import { version } from './version.ts';
import { type RecordedEvent, eventsOf, whenSettled } from './watch.ts';

export interface EmbeddedOptions {
  /** Requests per minute by tier. */
  readonly tiers?: Readonly<Record<string, number>>;
  /** Seconds before each retry of a webhook delivery, instead of the default schedule. */
  readonly retryScheduleSeconds?: readonly number[];
}

/** A request to the settings plane, which has no socket here. */
export interface PlaneRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface PlaneReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface Welcome {
  readonly tenant: Tenant;
  readonly secret: string;
  readonly demo: readonly LoadedDemoTenant[];
}

export interface Embedded {
  readonly url: string;
  readonly directory: string;
  readonly clock: TestClock;
  /** The tenant to begin with, and a key of it for everything. With `demo` it is the first of the demo tenants. */
  welcome(first: { readonly plan: Plan; readonly demo: boolean; readonly tier: string }): Promise<Welcome>;
  plane(request: PlaneRequest): Promise<PlaneReply>;
  /** What a tenant recorded in its change log, oldest first. */
  events(tenantId: string): Promise<RecordedEvent[]>;
  /** Resolves when no delivery is due any more or under way; those that wait for a later retry or a paused endpoint may stay. */
  settled(): Promise<void>;
  /** Answers what is under way, closes the store and removes the directory; a second call waits for the first. */
  stop(): Promise<void>;
}

/** How long requests and deliveries under way may take at the stop. */
const GRACE_MS = 1_000;

/** Listens on a free port of this machine. */
export async function embedService({ tiers = {}, retryScheduleSeconds }: EmbeddedOptions = {}): Promise<Embedded> {
  const temporary = temporaryDirectory();
  const directory = temporary.path;
  const clock = testClock();
  const webhooks = retryScheduleSeconds ? { scheduleSeconds: retryScheduleSeconds } : {};
  const service = await openService({ directory, clock, log: pino({ level: 'silent' }), version, tiers, webhooks, drainMs: GRACE_MS });
  const api = apiServer(service, { host: DEFAULT_HOST, port: 0 });
  await api.start();
  service.listensOn(api.info.port as number);
  // Its routes take a third of the start, and many tests never ask for it.
  let admin: Server | undefined;
  const adminPlane = (): Server =>
    (admin ??= adminServer(service, { socketPath: join(directory, 'never-opened.sock'), url: api.info.uri, dataDir: directory }));
  await service.startDeliveries();

  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    service.beginClosing();
    try {
      await service.drainDeliveries();
      await api.stop({ timeout: GRACE_MS });
      await service.close();
    } finally {
      temporary.remove();
    }
  };
  return {
    url: api.info.uri,
    directory,
    clock,
    welcome: (first) => welcome(service, first),
    async plane({ method, path, headers, body }) {
      const reply = await adminPlane().inject({ method, url: path, headers, ...(body !== undefined && { payload: body }) });
      return { status: reply.statusCode, headers: reply.headers as Record<string, string>, text: reply.payload };
    },
    events: (tenantId) => eventsOf(service, tenantId),
    settled: () => whenSettled(service),
    stop: () => (stopping ??= stop()),
  };
}

async function welcome({ store, clock, newId, demo }: RunningService, first: Parameters<Embedded['welcome']>[0]): Promise<Welcome> {
  const loaded = first.demo ? await demo.load() : [];
  const id = loaded[0]?.id ?? newId();
  return store.transact(id, async (tx) => {
    const now = clock.now();
    const made = { name: 'Test', slug: 'test', plan: first.plan };
    const tenant = (await tx.tenants.get(id)) ?? (await createTenant(tx, id, now, newId, made));
    const draft = { tenantId: id, name: 'test', scopes: SCOPES, environment: 'development', rateLimitTier: first.tier } as const;
    const { secret } = await createKey(tx, now, newId, draft);
    return { tenant, secret, demo: loaded };
  });
}
