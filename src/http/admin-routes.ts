/** The routes of the admin API, for its socket and for the control port. An Idempotency-Key is optional (docs/decisions.md, D-22). */
import type { Server, ServerRoute } from '@hapi/hapi';
import type { AdminServices } from '../api/admin/handler.ts';
import { ADMIN_OPERATIONS } from '../contract/admin/index.ts';
import { RECENT_REQUESTS_MAX } from '../contract/limits.ts';
import type { Operation } from '../contract/operation.ts';
import { addFeedRoute } from './admin-feed.ts';
import { createOpenReplies, type OpenReplies } from './open-replies.ts';
import { METRICS_PATH } from '../contract/admin/daemon.ts';
import type { Service } from './service.ts';
import { receiveBody } from './steps/receive-body.ts';
import { runAdminRequest } from './steps/run-admin-request.ts';

/** Without those of a daemon, as in a test, `daemon status` shows null. */
export interface AdminRouteOptions extends Partial<AdminServices['daemon']> {
  readonly shutdown?: () => void;
}

const NO_DAEMON = {
  url: null,
  consoleUrl: null,
  dataDir: null,
  logFile: null,
  getJournalBytes: () => null,
  findStoreProblem: () => Promise.resolve(undefined),
};

/**
 * Returns a function that adds the routes when it is first called, with a request: hapi takes half a millisecond for each route, and a start
 * must not wait for that. `toPath` maps the paths of the contract to those of the server.
 */
export function createRouteAdder(service: Service, options: AdminRouteOptions, toPath = (path: string): string => path) {
  let hasRoutes = false;
  return (server: Server): void => {
    if (hasRoutes) return;
    hasRoutes = true;
    const services = createAdminServices(service, options);
    const openReplies = createOpenReplies(server);
    server.route(ADMIN_OPERATIONS.map((operation) => createAdminRoute({ service, services, openReplies }, operation, toPath)));
    addFeedRoute(server, service, services, openReplies, toPath);
    addMetricsRoute(server, service, toPath);
  };
}

export function createAdminServices(service: Service, options: AdminRouteOptions): AdminServices {
  const { shutdown, ...daemon } = options;
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

interface RouteParts {
  readonly service: Service;
  readonly services: AdminServices;
  readonly openReplies: OpenReplies;
}

const createAdminRoute = (
  { service, services, openReplies }: RouteParts,
  op: Operation,
  toPath: (path: string) => string,
): ServerRoute => ({
  method: op.method,
  path: toPath(op.path),
  async handler(request, h) {
    await receiveBody(service, request, op.bodyMaxBytes);
    return runAdminRequest({ service, services, openReplies }, op, request, h);
  },
});

/** The metrics of the service in the format of Prometheus. */
function addMetricsRoute(server: Server, service: Service, toPath: (path: string) => string): void {
  let collect: (() => Promise<string>) | undefined;
  server.route({
    method: 'GET',
    path: toPath(METRICS_PATH),
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
