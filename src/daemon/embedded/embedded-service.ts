/**
 * A complete service inside the process of another program, over a temporary directory that is removed when it stops. Store, rules,
 * server and deliveries are the same as in a daemon; the clock is the test clock. It has no state file, log file, signal handlers and
 * admin socket.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Server } from '@hapi/hapi';
import { pino } from 'pino';
import type { LoadedDemoTenant } from '../../contract/admin/demo.ts';
import type { Tenant } from '../../contract/admin/tenants.ts';
import { DEFAULT_HOST } from '../../platform/local-paths.ts';
import { type Plan, SCOPES } from '../../contract/scopes.ts';
import { createKey } from '../../domain/tenancy/api-keys.ts';
import { createTenant } from '../../domain/tenancy/tenants.ts';
import { createAdminServer } from '../../http/admin-server.ts';
import { type ControlAccess, createControlServer } from '../../http/control-server.ts';
import { createApiServer } from '../../http/server.ts';
import { type TestClock, createTestClock } from '../service/clock.ts';
import { type RunningService, openService } from '../service/open-service.ts';
import { createTemporaryDirectory } from './temporary-directory.ts';
import { version } from '../package-info.ts';
import { type RecordedEvent, listRecordedEvents, waitForDueDeliveries } from './test-inspection.ts';

export interface EmbeddedOptions {
  /** Requests per minute by tier. */
  readonly tiers?: Readonly<Record<string, number>>;
  /** Whether the service has the given contract only, without extensions. */
  readonly isStrict?: boolean;
  /** Seconds before each retry of a webhook delivery, instead of the default schedule. */
  readonly retryScheduleSeconds?: readonly number[];
  /** How long requests and deliveries in progress may take when the service stops. Default: 1 s. */
  readonly stopGraceMs?: number;
}

/** A request to the admin API, which has no socket here. */
export interface AdminRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface AdminReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** The first tenant with a key that has every scope. */
export interface FirstTenant {
  readonly tenant: Tenant;
  readonly secret: string;
  readonly demo: readonly LoadedDemoTenant[];
}

interface FirstTenantOptions {
  readonly plan: Plan;
  readonly demo: boolean;
  /** Rate-limit tier of the key. */
  readonly tier: string;
  /** A tenant that exists, instead of a new one. */
  readonly tenantId?: string | undefined;
}

export interface EmbeddedService {
  readonly url: string;
  readonly directory: string;
  readonly clock: TestClock;
  /** Creates the first tenant; with `demo`, loads the demo tenants and uses the first of them. */
  createFirstTenant(options: FirstTenantOptions): Promise<FirstTenant>;
  requestAdmin(request: AdminRequest): Promise<AdminReply>;
  /** Starts the control port with the first call. */
  openControl(): Promise<ControlAccess>;
  /** The change log of a tenant, oldest first. */
  listEvents(tenantId: string): Promise<RecordedEvent[]>;
  /** Resolves when no delivery is due or in progress. Deliveries that wait for a later retry or a paused endpoint do not count. */
  waitForDeliveries(): Promise<void>;
  /** Finishes requests in progress, closes the store and removes the directory. A second call returns the promise of the first. */
  stop(): Promise<void>;
}

const STOP_GRACE_MS = 1_000;
const TOKEN_BYTES = 32;

/** Listens on a free port of the loopback address. */
export async function startEmbeddedService({
  tiers = {},
  isStrict = false,
  retryScheduleSeconds,
  stopGraceMs = STOP_GRACE_MS,
}: EmbeddedOptions = {}): Promise<EmbeddedService> {
  const temporary = createTemporaryDirectory();
  const directory = temporary.path;
  const clock = createTestClock();
  const webhooks = retryScheduleSeconds ? { scheduleSeconds: retryScheduleSeconds } : {};
  const service = await openService({
    directory,
    clock,
    log: pino({ level: 'silent' }),
    version,
    tiers,
    webhooks,
    contract: isStrict ? 'strict' : 'extended',
    record: true,
    timeouts: { drainMs: stopGraceMs },
  });
  const api = createApiServer(service, { host: DEFAULT_HOST, port: 0 });
  await api.start();
  service.addOwnPort(api.info.port as number);
  // Created on use: its routes take a third of the start, and many tests never need it.
  let adminServer: Server | undefined;
  const admin = { url: api.info.uri, dataDir: directory };
  const getAdminServer = (): Server =>
    (adminServer ??= createAdminServer(service, { ...admin, socketPath: join(directory, 'never-opened.sock') }));
  const control = createControl(service, admin);
  await service.startDeliveries();

  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    service.beginClosing();
    try {
      await service.drainDeliveries();
      await control.stop(stopGraceMs);
      await api.stop({ timeout: stopGraceMs });
      await service.close();
    } finally {
      temporary.remove();
    }
  };
  return {
    url: api.info.uri,
    directory,
    clock,
    createFirstTenant: (options) => createFirstTenant(service, options),
    async requestAdmin({ method, path, headers, body }) {
      const reply = await getAdminServer().inject({ method, url: path, headers, ...(body !== undefined && { payload: body }) });
      return { status: reply.statusCode, headers: reply.headers as Record<string, string>, text: reply.payload };
    },
    openControl: control.open,
    listEvents: (tenantId) => listRecordedEvents(service, tenantId),
    waitForDeliveries: () => waitForDueDeliveries(service),
    stop: () => (stopping ??= stop()),
  };
}

/** The control port, which listens after the first call of `open`. */
function createControl(service: RunningService, options: { readonly url: string; readonly dataDir: string }) {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const start = async (): Promise<Server> => {
    const server = createControlServer(service, { ...options, host: DEFAULT_HOST, port: 0, token });
    await server.start();
    service.addOwnPort(server.info.port as number);
    return server;
  };
  let started: Promise<Server> | undefined;
  return {
    open: async (): Promise<ControlAccess> => ({ url: (await (started ??= start())).info.uri, token }),
    stop: async (timeout: number): Promise<void> => (await started)?.stop({ timeout }),
  };
}

async function createFirstTenant(
  { store, newId, demo }: RunningService,
  { plan, demo: withDemo, tier, tenantId }: FirstTenantOptions,
): Promise<FirstTenant> {
  const demoTenants = withDemo ? await demo.load() : [];
  const id = tenantId ?? demoTenants[0]?.id ?? newId();
  return store.transact(id, async (tx) => {
    const tenant = (await tx.tenants.get(id)) ?? (await createTenant(tx, id, tx.now, tx.newId, { name: 'Test', slug: 'test', plan }));
    const draft = { tenantId: id, name: 'test', scopes: SCOPES, environment: 'development', rateLimitTier: tier } as const;
    const { secret } = await createKey(tx, tx.now, tx.newId, draft);
    return { tenant, secret, demo: demoTenants };
  });
}
