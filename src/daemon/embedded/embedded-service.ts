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
import type { ContractMode } from '../../platform/daemon-state.ts';
import { DEFAULT_HOST } from '../../platform/local-paths.ts';
import { type Plan, SCOPES } from '../../contract/scopes.ts';
import { createKey } from '../../domain/tenancy/api-keys.ts';
import { createTenant } from '../../domain/tenancy/tenants.ts';
import { createAdminServer } from '../../http/admin-server.ts';
import { type ControlAccess, createControlServer } from '../../http/control-server.ts';
import { createApiServer } from '../../http/server.ts';
import { type TestClock, createTestClock } from '../service/clocks/clock.ts';
import { type RunningService, type ServiceOptions, openService } from '../service/open-service.ts';
import { createTemporaryDirectory } from './temporary-directory.ts';
import { version } from '../package-info.ts';
import type { WebhookSettings } from '../webhook-settings.ts';
import { type RecordedEvent, listRecordedEvents, waitForDueDeliveries } from './test-inspection.ts';

export interface EmbeddedOptions {
  /** Requests per minute by tier. */
  readonly tiers?: Readonly<Record<string, number>>;
  readonly contract?: ContractMode | undefined;
  readonly webhooks?: Partial<WebhookSettings>;
  /** Default: any free one. */
  readonly port?: number;
  /** How long requests and deliveries in progress may take when the service stops. Default: 1 s. */
  readonly stopGraceMs?: number;
  readonly getFaultPlan?: ServiceOptions['getFaultPlan'];
}

/** A request to the admin API, which has no socket here. */
export interface AdminRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
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
  /** The one that runs now. */
  readonly service: RunningService;
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
  /** Drops all connections, closes the service and opens it again on the same ports. What is only in memory is lost, except states of tenants. */
  restart(): Promise<void>;
  /** Finishes requests in progress, closes the store and removes the directory. A second call returns the promise of the first. */
  stop(): Promise<void>;
}

const STOP_GRACE_MS = 1_000;
const TOKEN_BYTES = 32;

/** Listens on a port of the loopback address. */
export async function startEmbeddedService(given: EmbeddedOptions = {}): Promise<EmbeddedService> {
  const { stopGraceMs = STOP_GRACE_MS, port = 0 } = given;
  const temporary = createTemporaryDirectory();
  const directory = temporary.path;
  const clock = createTestClock();
  const options = { ...toServiceOptions(given, stopGraceMs), directory, clock };
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  let running = await openRunning(options, token, { api: port });
  const restart = async (): Promise<void> => {
    const { service, api, control } = running;
    // At once: no request is executed whose response would be lost.
    service.beginClosing();
    const ports = { api: api.info.port as number, control: await control.getPort() };
    api.listener.closeAllConnections();
    await stopRunning(running, 0);
    running = await openRunning(options, token, ports, service.tenantStates);
  };
  let restarting: Promise<void> | undefined;
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    try {
      await restarting;
      await stopRunning(running, stopGraceMs);
    } finally {
      temporary.remove();
    }
  };
  return {
    get service() {
      return running.service;
    },
    url: running.api.info.uri,
    directory,
    clock,
    createFirstTenant: (first) => createFirstTenant(running.service, first),
    async requestAdmin({ method, path, headers, body }) {
      const reply = await running.getAdminServer().inject({ method, url: path, headers, ...(body !== undefined && { payload: body }) });
      return { status: reply.statusCode, headers: reply.headers as Record<string, string>, text: reply.payload };
    },
    openControl: () => running.control.open(),
    listEvents: (tenantId) => listRecordedEvents(running.service, tenantId),
    waitForDeliveries: () => waitForDueDeliveries(running.service),
    restart: () => (restarting = restart()),
    stop: () => (stopping ??= stop()),
  };
}

const toServiceOptions = ({ tiers = {}, contract = 'extended', webhooks = {}, getFaultPlan }: EmbeddedOptions, drainMs: number) => ({
  log: pino({ level: 'silent' }),
  version,
  tiers,
  webhooks,
  contract,
  record: true,
  getFaultPlan,
  timeouts: { drainMs },
});

interface Running {
  readonly service: RunningService;
  readonly api: Server;
  readonly control: ReturnType<typeof createControl>;
  readonly getAdminServer: () => Server;
}

async function stopRunning({ service, control, api }: Running, graceMs: number): Promise<void> {
  service.beginClosing();
  await service.drainDeliveries();
  await control.stop(graceMs);
  await api.stop({ timeout: graceMs });
  await service.close();
}

/** Opens the service of the directory, and its servers: after a restart, the control port is there before the API. */
async function openRunning(
  options: ServiceOptions,
  token: string,
  ports: { api: number; control?: number | undefined },
  before?: RunningService['tenantStates'],
): Promise<Running> {
  const service = await openService(options);
  if (before) service.tenantStates.takeOver(before);
  const { directory } = options;
  const api = createApiServer(service, { host: DEFAULT_HOST, port: ports.api });
  const getAdmin = () => ({ url: api.info.uri, dataDir: directory });
  const control = createControl(service, token, ports.control ?? 0, getAdmin);
  if (ports.control !== undefined) await control.open();
  await api.start();
  service.addOwnPort(api.info.port as number);
  // Created on use: its routes take a third of the start, and many tests never need it.
  let adminServer: Server | undefined;
  const getAdminServer = (): Server =>
    (adminServer ??= createAdminServer(service, { ...getAdmin(), socketPath: join(directory, 'never-opened.sock') }));
  await service.startDeliveries();
  return { service, api, control, getAdminServer };
}

/** The control port, which listens after the first call of `open`. */
function createControl(
  service: RunningService,
  token: string,
  port: number,
  getAdmin: () => { readonly url: string; readonly dataDir: string },
) {
  const start = async (): Promise<Server> => {
    const server = createControlServer(service, { ...getAdmin(), host: DEFAULT_HOST, port, token });
    await server.start();
    service.addOwnPort(server.info.port as number);
    return server;
  };
  let started: Promise<Server> | undefined;
  return {
    open: async (): Promise<ControlAccess> => ({ url: (await (started ??= start())).info.uri, token }),
    /** Undefined if it was not opened. */
    getPort: async (): Promise<number | undefined> => (await started)?.info.port as number | undefined,
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
