/** The routes of the admin API, for its socket and for the control port. An Idempotency-Key is optional (docs/decisions.md, D-22). */
import type { Server, ServerRoute } from '@hapi/hapi';
import type { AdminServices } from '../api/admin/handler.ts';
import { ADMIN_OPERATIONS } from '../contract/admin/index.ts';
import { RECENT_REQUESTS_MAX } from '../contract/limits.ts';
import type { Operation } from '../contract/operation.ts';
import { createFeedRoute } from './admin-feed.ts';
import { createOpenReplies } from './open-replies.ts';
import { METRICS_PATH } from '../contract/admin/daemon.ts';
import { FEED_PATH } from '../contract/admin/webhooks.ts';
import type { Service } from './service.ts';
import { receiveBody } from './steps/receive-body.ts';
import { type AdminRequestParts, runAdminRequest } from './steps/run-admin-request.ts';

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
    const parts = { service, services: createAdminServices(service, options), openReplies: createOpenReplies(server) };
    server.route(ADMIN_OPERATIONS.map((operation) => createAdminRoute(parts, operation, toPath(operation.path))));
    server.route(createFeedRoute(parts, toPath(FEED_PATH)));
    server.route(createMetricsRoute(service, toPath(METRICS_PATH)));
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

const createAdminRoute = (parts: AdminRequestParts, op: Operation, path: string): ServerRoute => ({
  method: op.method,
  path,
  async handler(request, h) {
    await receiveBody(parts.service, request, op.bodyMaxBytes);
    return runAdminRequest(parts, op, request, h);
  },
});

/** The metrics of the service in the format of Prometheus. */
function createMetricsRoute(service: Service, path: string): ServerRoute {
  let collect: (() => Promise<string>) | undefined;
  return {
    method: 'GET',
    path,
    async handler(_request, h) {
      const { METRICS_TYPE } = await import('./metrics/exposition.ts');
      collect ??= (await import('./metrics/collect.ts')).createMetricsCollector(service);
      return h
        .response(await collect())
        .type(METRICS_TYPE)
        .header('cache-control', 'no-store');
    },
  };
}
