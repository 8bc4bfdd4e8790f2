/**
 * The admin API: a second server on a unix socket (a named pipe on Windows) that only the owner of the daemon can open. There are no keys,
 * scopes or rate limits: every process that can open the socket has full access.
 * An Idempotency-Key is optional (docs/decisions.md, D-22).
 */
import { chmod } from 'node:fs/promises';
import type { Request, Server, ServerRoute } from '@hapi/hapi';
import type { UntypedAdminHandler, AdminServices } from '../api/admin/handler.ts';
import { adminHandlers } from '../api/admin/index.ts';
import { RECENT_REQUESTS_MAX } from '../contract/limits.ts';
import { ADMIN_OPERATIONS } from '../contract/admin/index.ts';
import type { Operation } from '../contract/operation.ts';
import { StockroomError } from '../domain/kernel/errors.ts';
import { parseJsonBody } from './steps/json-body.ts';
import { validateRequest } from './steps/validate-request.ts';
import { createBaseServer } from './base-server.ts';
import { addFeedRoute } from './admin-feed.ts';
import { METRICS_PATH } from '../contract/admin/daemon.ts';
import { receiveBody } from './steps/receive-body.ts';
import { createResponse } from './response/reply.ts';
import { runAdminOperation } from './steps/run-admin-operation.ts';
import type { Service } from './service.ts';

/** Without those of a daemon, as in a test, `daemon status` shows null. */
export interface AdminOptions extends Partial<AdminServices['daemon']> {
  /** The caller holds the lock of the data directory and has removed the socket of an earlier daemon. */
  readonly socketPath: string;
  readonly shutdown?: () => void;
}

const OWNER_ONLY = 0o600;

/** Listens on the socket after `start()`. Until the socket has its mode, the mode of its directory keeps other users out. */
export function createAdminServer(service: Service, options: AdminOptions): Server {
  const { socketPath } = options;
  const server = createBaseServer({ port: socketPath }, service, (request) => {
    rejectOrigin(request);
    addRoutes();
  });
  server.ext('onPostStart', async () => {
    if (process.platform !== 'win32') await chmod(socketPath, OWNER_ONLY);
  });
  const services = createAdminServices(service, options);
  let hasRoutes = false;
  /** With the first request: hapi takes half a millisecond for each route, and a start must not wait for that. */
  function addRoutes(): void {
    if (hasRoutes) return;
    hasRoutes = true;
    server.route(ADMIN_OPERATIONS.map((operation) => createAdminRoute(service, services, operation)));
    addFeedRoute(server, service, services);
    addMetricsRoute(server, service);
  }
  return server;
}

function createAdminServices(service: Service, options: AdminOptions): AdminServices {
  const { socketPath: _, shutdown, ...daemon } = options;
  return {
    ...service,
    listRecentRequests: (tenantId) => ({
      requests: service.feed.listRecent('request', tenantId, RECENT_REQUESTS_MAX),
      perMinute: service.requestCounts.list(tenantId),
    }),
    flushCounters: () => service.usage.save(service.store),
    daemon: { ...NO_DAEMON, startedAt: new Date(), ...daemon },
    shutdown,
  };
}

const NO_DAEMON = {
  url: null,
  dataDir: null,
  logFile: null,
  journalBytes: () => null,
  findStoreProblem: () => Promise.resolve(undefined),
};

function createAdminRoute(service: Service, services: AdminServices, op: Operation): ServerRoute {
  const handler = adminHandlers[op.id as keyof typeof adminHandlers] as unknown as UntypedAdminHandler;
  return {
    method: op.method,
    path: op.path,
    async handler(request, h) {
      await receiveBody(service, request);
      const { app, raw } = request;
      const body = op.body ? parseJsonBody(request) : undefined;
      const input = validateRequest(op, request, body);
      const afterReply = (work: () => void) => void raw.res.once('close', work);
      const reply = await runAdminOperation(service, op, request, body, (replies) =>
        handler({ ...input, services, requestId: app.requestId, afterReply, replies }),
      );
      // No cache may store it: a reply may contain a secret that is shown once.
      return createResponse(h, reply).header('cache-control', 'no-store');
    },
  };
}

/** The metrics of the service in the format of Prometheus. */
function addMetricsRoute(server: Server, service: Service): void {
  let collect: (() => Promise<string>) | undefined;
  server.route({
    method: 'GET',
    path: METRICS_PATH,
    async handler(_request, h) {
      const { METRICS_TYPE } = await import('./metrics/exposition.ts');
      collect ??= (await import('./metrics/collect.ts')).createMetricsCollector(service);
      return h
        .response(await collect())
        .type(METRICS_TYPE)
        .header('cache-control', 'no-store');
    },
  });
}

/** Browsers send an Origin, other programs on this machine do not. */
function rejectOrigin({ headers }: Request): void {
  if (headers['origin'] !== undefined) throw new StockroomError('ORIGIN_NOT_ALLOWED', 'Browsers cannot call the admin API.');
}
