/**
 * A whole service inside the process of somebody else, over a directory of its own that goes when it stops: the same store, rules, server
 * and deliveries as a daemon's, with the test clock. What makes a daemon of it is left out: lock, state file, log file, signals, socket.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { LoadedDemoTenant } from '../contract/admin/demo.ts';
import { DEFAULT_HOST } from '../contract/places.ts';
import { type DeliveryRecord, dueOf, isOpen } from '../domain/deliveries.ts';
import { adminServer } from '../http/admin.ts';
import { apiServer } from '../http/server.ts';
import { type TestClock, testClock } from './clock.ts';
import { type RunningService, allTenants, openService } from './service.ts';
import { version } from './version.ts';

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

export interface RecordedEvent {
  readonly id: string;
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly occurredAt: string;
}

export interface Embedded {
  readonly url: string;
  readonly directory: string;
  readonly clock: TestClock;
  loadDemo(): Promise<LoadedDemoTenant[]>;
  plane(request: PlaneRequest): Promise<PlaneReply>;
  /** What a tenant recorded in its change log, oldest first. */
  events(tenantId: string): Promise<RecordedEvent[]>;
  /** Resolves when no delivery is due any more or under way; those that wait for a later retry or a paused endpoint may stay. */
  settled(): Promise<void>;
  /** Answers what is under way, closes the store and removes the directory; a second call waits for the first. */
  stop(): Promise<void>;
}

/** How long requests under way may take at the stop. */
const GRACE_MS = 1_000;
const EVERYTHING = 1_000_000;

/** Listens on a free port of this machine. */
export async function embedService({ tiers = {}, retryScheduleSeconds }: EmbeddedOptions = {}): Promise<Embedded> {
  const directory = mkdtempSync(join(tmpdir(), 'stockroom-'));
  leaveNothing(directory);
  const clock = testClock();
  const webhooks = retryScheduleSeconds ? { scheduleSeconds: retryScheduleSeconds } : {};
  const service = await openService({ directory, clock, log: pino({ level: 'silent' }), version, tiers, webhooks });
  const api = apiServer(service, { host: DEFAULT_HOST, port: 0 });
  await api.start();
  service.listensOn(api.info.port as number);
  const admin = adminServer(service, { socketPath: join(directory, 'never-opened.sock'), url: api.info.uri, dataDir: directory });
  await service.startDeliveries();

  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    service.beginClosing();
    try {
      await service.drainDeliveries();
      await api.stop({ timeout: GRACE_MS });
      await service.close();
    } finally {
      rmSync(directory, { recursive: true, force: true });
      left.delete(directory);
    }
  };
  return {
    url: api.info.uri,
    directory,
    clock,
    loadDemo: () => service.demo.load(),
    async plane({ method, path, headers, body }) {
      const reply = await admin.inject({ method, url: path, headers, ...(body !== undefined && { payload: body }) });
      return { status: reply.statusCode, headers: reply.headers as Record<string, string>, text: reply.payload };
    },
    events: (tenantId) => eventsOf(service, tenantId),
    settled: () => whenSettled(service),
    stop: () => (stopping ??= stop()),
  };
}

async function eventsOf({ store }: RunningService, tenantId: string): Promise<RecordedEvent[]> {
  const { rows } = await store.read(tenantId, (tx) => tx.events.after({ limit: EVERYTHING }));
  return rows
    .toSorted((a, b) => a.position - b.position)
    .map(({ id, event, occurredAt, body }) => ({ id, event, occurredAt, data: (JSON.parse(body) as Pick<RecordedEvent, 'data'>).data }));
}

/** Looks again after every commit: the outcome of an attempt is one. */
async function whenSettled(service: RunningService): Promise<void> {
  let changed = Promise.withResolvers<void>();
  const stopListening = service.store.onCommit(() => changed.resolve());
  try {
    while (await somethingDue(service)) {
      await changed.promise;
      changed = Promise.withResolvers();
    }
  } finally {
    stopListening();
  }
}

async function somethingDue({ store, clock }: RunningService): Promise<boolean> {
  const now = clock.now().toISOString();
  for (const { id } of await allTenants(store)) {
    const due = await store.read(id, async (tx) => {
      const sending = new Set(
        (await tx.webhooks.after({ where: [{ field: 'status', equals: 'active' }], limit: EVERYTHING })).rows.map((row) => row.id),
      );
      const isDue = (row: DeliveryRecord): boolean => isOpen(row) && sending.has(row.webhookId) && dueOf(row) <= now;
      return (await tx.deliveries.after({ limit: EVERYTHING })).rows.some(isDue);
    });
    if (due) return true;
  }
  return false;
}

const left = new Set<string>();
let willRemove = false;

/** A test that forgets to stop its service must not fill the disk. */
function leaveNothing(directory: string): void {
  left.add(directory);
  if (willRemove) return;
  willRemove = true;
  process.once('exit', () => {
    for (const each of left) rmSync(each, { recursive: true, force: true });
  });
}
