/** A real service in this process: a store of its own, in a fresh directory or database, and real HTTP on a free port. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Server } from '@hapi/hapi';
import { pino } from 'pino';
import { request } from 'undici';
import { isWebhookEvent } from '../../../src/contract/change-events.ts';
import type { ErrorCode } from '../../../src/contract/errors.ts';
import { INJECTED_FAULT } from '../../../src/contract/headers.ts';
import { SCOPES, type Plan, type Scope } from '../../../src/contract/scopes.ts';
import { type TestClock, createTestClock } from '../../../src/daemon/service/clocks/clock.ts';
import { type RunningService, type ServiceOptions, openService } from '../../../src/daemon/service/open-service.ts';
import type { ServiceTimeouts } from '../../../src/daemon/service/timeouts.ts';
import type { WebhookSettings } from '../../../src/daemon/webhook-settings.ts';
import type { Resolve } from '../../../src/delivery/target-guard.ts';
import type { Context } from '../../../src/domain/kernel/context.ts';
import { createKey } from '../../../src/domain/tenancy/api-keys.ts';
import type { EventRetention } from '../../../src/domain/events/event-log.ts';
import type { EventRecord } from '../../../src/domain/events/records.ts';
import { createTenant } from '../../../src/domain/tenancy/tenants.ts';
import type { TenantRecord } from '../../../src/domain/kernel/tenant.ts';
import { createTrustedProxies } from '../../../src/http/forwarded.ts';
import { createApiServer } from '../../../src/http/server.ts';
import { takeServiceStore } from './service-store.ts';
import { DOCUMENT_PATHS } from '../../../src/contract/openapi/document-paths.ts';
import { type ApiDocument, type WebhookDocument, answerChecker, eventChecker } from '../contract/openapi-checks.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
  // Tests look into bodies of every shape; the assertions are the types.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

export interface CallOptions {
  readonly key?: string;
  readonly headers?: Record<string, string | string[]>;
  /** Sent as JSON, unless it is a string, which is sent as it is. */
  readonly body?: unknown;
  readonly idempotencyKey?: string | undefined;
}

export interface TestService extends AsyncDisposable {
  readonly url: string;
  readonly directory: string;
  readonly clock: TestClock;
  readonly service: RunningService;
  /** The first tenant (enterprise) and a key of it with every scope and a high limit. */
  readonly tenant: TenantRecord;
  readonly key: string;
  call(method: string, path: string, options?: CallOptions): Promise<Reply>;
  /** POST and PATCH with a fresh idempotency key. */
  get(path: string, options?: CallOptions): Promise<Reply>;
  post(path: string, body?: unknown, options?: CallOptions): Promise<Reply>;
  patch(path: string, body: unknown, options?: CallOptions): Promise<Reply>;
  delete(path: string, options?: CallOptions): Promise<Reply>;
  addTenant(slug: string, plan?: Plan): Promise<TenantRecord>;
  addKey(options?: { tenantId?: string; scopes?: readonly Scope[]; tier?: string; expiresAt?: string }): Promise<string>;
  /** The tenant's events that webhooks have since a position, oldest first. */
  events(after?: number, tenantId?: string): Promise<EventRecord[]>;
  /** The same with the events that only the change log has. */
  changeLog(after?: number): Promise<EventRecord[]>;
  /** Stops and starts over the same directory, on another port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
  /** Starts again after `stop`. */
  start(): Promise<void>;
}

let counter = 0;
const FAULTS_SHOWN = 5;

/** From the first service of the process with the contract, made once: every service serves the same documents but for its address. */
const checkers = new Map<ServiceTestOptions['contract'], ReturnType<typeof fetchCheckers>>();
function getCheckers(contract: ServiceTestOptions['contract'], uri: string): ReturnType<typeof fetchCheckers> {
  const known = checkers.get(contract) ?? fetchCheckers(uri);
  checkers.set(contract, known);
  return known;
}
async function fetchCheckers(uri: string) {
  const [api, webhooks] = await Promise.all(
    [DOCUMENT_PATHS.api, DOCUMENT_PATHS.webhooks].map(async (path) => (await request(uri + path)).body.json()),
  );
  return { getFaults: answerChecker(api as ApiDocument), getEventFaults: eventChecker(webhooks as WebhookDocument) };
}

export interface ServiceTestOptions {
  /** Contents of files to put into the data directory first. */
  readonly files?: Readonly<Record<string, Uint8Array>>;
  /** The time at which it starts. Default: now. */
  readonly startAt?: Date;
  readonly tiers?: Record<string, number>;
  /** Send deliveries; without it they stay as they were recorded. */
  readonly deliver?: boolean;
  /** Record requests with headers and bodies. */
  readonly record?: boolean;
  readonly webhooks?: Partial<WebhookSettings>;
  /** Without the extensions. */
  readonly contract?: 'strict';
  /** How long events are kept. */
  readonly retention?: Partial<EventRetention>;
  readonly resolve?: Resolve;
  readonly createConnector?: ServiceOptions['createConnector'];
  readonly otlpEndpoint?: string;
  readonly publicUrl?: string;
  readonly cors?: readonly string[];
  /** Ranges of trusted proxies. */
  readonly trustProxy?: readonly string[];
  /** Shorter waits than the service's own. */
  readonly timeouts?: Partial<ServiceTimeouts>;
}

export async function startService(options: ServiceTestOptions = {}): Promise<TestService> {
  // Not named like those of `stockroom/testing`, which takes away what it finds left there for a minute.
  const directory = await mkdtemp(join(tmpdir(), 'sr-service-'));
  for (const [name, content] of Object.entries(options.files ?? {})) await writeFile(join(directory, name), content);
  const serviceStore = await takeServiceStore();
  const clock = createTestClock();
  if (options.startAt) clock.set(options.startAt);
  const serviceOptions = { directory, ...serviceStore.options, clock, tiers: { test: 1_000_000, ...options.tiers } };
  const open = () => openServer(serviceOptions, options);
  let { service, server } = await open();

  const addTenant = (slug: string, plan: Plan = 'enterprise') => {
    const id = service.newId();
    return service.store.transact(id, (tx) => createTenant(tx, id, clock.now(), service.newId, { name: slug, slug, plan }));
  };
  const addKey: TestService['addKey'] = (draft) => createTestKey(service, clock, { tenantId: tenant.id, ...draft });
  const tenant = await addTenant('first');
  const key = await addKey();

  const documents = () => getCheckers(options.contract, server.info.uri);
  const calls = createCalls(() => server.info.uri, key, documents);
  const stop = async () => {
    await server.stop({ timeout: 1_000 });
    await service.close();
  };
  const start = async () => {
    ({ service, server } = await open());
  };
  return {
    get url() {
      return server.info.uri;
    },
    directory,
    clock,
    get service() {
      return service;
    },
    tenant,
    key,
    ...calls,
    addTenant,
    addKey,
    async events(after = 0, tenantId = tenant.id) {
      const rows = (await readChangeLog(service, tenantId, after)).filter(({ event }) => isWebhookEvent(event));
      const { getEventFaults } = await documents();
      const faults = rows.flatMap(({ body }) => getEventFaults(body)).slice(0, FAULTS_SHOWN);
      if (faults.length > 0) throw new Error(`not as the served webhook document says: ${faults.join('; ')}`);
      return rows;
    },
    changeLog: (after = 0) => readChangeLog(service, tenant.id, after),
    async restart() {
      await stop();
      await start();
    },
    stop,
    start,
    async [Symbol.asyncDispose]() {
      await stop();
      await serviceStore[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Opens the service and its API server. */
async function openServer(
  serviceOptions: Omit<ServiceOptions, 'log' | 'version'>,
  {
    webhooks,
    retention,
    resolve,
    createConnector,
    otlpEndpoint,
    timeouts,
    trustProxy = [],
    publicUrl,
    cors = [],
    deliver,
    contract,
    record = false,
  }: ServiceTestOptions,
): Promise<{ service: RunningService; server: Server }> {
  const service = await openService({
    ...serviceOptions,
    log: pino({ level: process.env['TEST_LOG'] ?? 'silent' }),
    version: '0.0.0-test',
    record,
    ...(webhooks ? { webhooks } : {}),
    ...(retention ? { events: retention } : {}),
    ...(contract ? { contract } : {}),
    ...(resolve ? { resolve } : {}),
    ...(createConnector ? { createConnector } : {}),
    otlpEndpoint,
    ...(timeouts ? { timeouts } : {}),
  });
  const trustedProxies = createTrustedProxies(trustProxy);
  const server = createApiServer(service, { host: '127.0.0.1', port: 0, publicUrl, cors, trustedProxies });
  await server.start();
  service.addOwnPort(server.info.port as number);
  if (deliver) await service.startDeliveries();
  return { service, server };
}

type Draft = NonNullable<Parameters<TestService['addKey']>[0]> & { readonly tenantId: string };

async function createTestKey(service: RunningService, clock: TestClock, draft: Draft): Promise<string> {
  const { tenantId, scopes = SCOPES, tier = 'test', expiresAt = null } = draft;
  const fields = { tenantId, name: 'test', scopes, environment: 'development', rateLimitTier: tier, expiresAt } as const;
  return (await service.store.transact(tenantId, (tx) => createKey(tx, clock.now(), service.newId, fields))).secret;
}

type Calls = Pick<TestService, 'call' | 'get' | 'post' | 'patch' | 'delete'>;

/** Requests whose replies are checked against the served document. */
function createCalls(getUri: () => string, key: string, documents: () => ReturnType<typeof fetchCheckers>): Calls {
  const call: TestService['call'] = async (method, path, more) => {
    const reply = await send(getUri(), method, path, { key, ...more });
    // What was set to go wrong on purpose says so, and may be anything.
    const isSet = reply.headers[INJECTED_FAULT] !== undefined;
    const faults = isSet ? [] : (await documents()).getFaults(method, path, reply).slice(0, FAULTS_SHOWN);
    if (faults.length > 0) throw new Error(`not as the served document says: ${faults.join('; ')}`);
    return reply;
  };
  return {
    call,
    get: (path, more) => call('GET', path, more),
    post: (path, body, more) =>
      call('POST', path, { idempotencyKey: createIdempotencyKey(), ...(body === undefined ? {} : { body }), ...more }),
    patch: (path, body, more) => call('PATCH', path, { idempotencyKey: createIdempotencyKey(), body, ...more }),
    delete: (path, more) => call('DELETE', path, more),
  };
}

async function send(uri: string, method: string, path: string, options: CallOptions): Promise<Reply> {
  const { key, headers = {}, body, idempotencyKey } = options;
  const response = await request(`${uri}${path}`, {
    method: method as 'GET',
    headers: {
      ...(key === undefined || key === '' ? {} : { 'x-api-key': key }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.body.text();
  const parsed = text === '' ? undefined : (JSON.parse(text) as unknown);
  return { status: response.statusCode, headers: response.headers, text, body: parsed };
}

/** An idempotency key that no request has used. */
const createIdempotencyKey = (): string => `test-${String((counter += 1))}-${String(process.pid)}`;

async function readChangeLog({ store }: RunningService, tenantId: string, after: number): Promise<EventRecord[]> {
  const query = { where: [{ field: 'position', after }], limit: 10_000 };
  return (await store.read(tenantId, async (tx) => tx.events.listAfter(query))).rows;
}

/** The context of a change by the test itself. */
export const contextFor = ({ service, clock, tenant }: TestService): Context => ({
  tenant,
  actor: { type: 'system', id: 'test' },
  requestId: 'test',
  ipAddress: null,
  now: clock.now(),
  newId: service.newId,
});

/** An id that nothing has. */
export const ABSENT = '7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e';

/** The error code of a refusal, or a failing text that shows the reply. */
export function getCode(reply: Reply): ErrorCode {
  const code = (reply.body as { error?: { code?: ErrorCode } } | undefined)?.error?.code;
  if (code === undefined) throw new Error(`no error envelope: ${String(reply.status)} ${reply.text}`);
  return code;
}
