/** The server for /v1. */
import type { BlockList } from 'node:net';
import type { Server, ServerRoute } from '@hapi/hapi';
import { isLoopbackHost } from '../platform/loopback.ts';
import { MCP_PATH } from '../contract/mcp-tools.ts';
import { OAUTH } from '../contract/oauth.ts';
import { OPERATIONS } from '../contract/index.ts';
import type { Operation } from '../contract/operation.ts';
import { explainExtension, listExtensionOperations, listStrictOperations } from '../contract/strict.ts';
import { StockroomError } from '../domain/kernel/errors.ts';
import { createBaseServer } from './base-server.ts';
import { addConsoleRoutes } from './console/routes.ts';
import { readForwardedHeaders } from './forwarded.ts';
import { HEALTH_PATH, READY_PATH, isHealthCheck } from './health-path.ts';
import { type ConnectionLimits, DEFAULT_CONNECTION_LIMITS, createListener } from './listener.ts';
import { addMcpRoute } from './mcp-endpoint.ts';
import { addOAuthRoutes } from './oauth/routes.ts';
import { addOpenApiRoutes } from './openapi-documents.ts';
import { readinessRoute } from './readiness.ts';
import { addReferencePage } from './reference-page.ts';
import { createRequestPublisher } from './requests/request-events.ts';
import { JSON_TYPE } from './response/reply.ts';
import type { Service } from './service.ts';
import { addStartPage } from './start-page.ts';
import { answerPreflight, checkOrigin, isOfOtherOrigin } from './cors.ts';
import { checkHost } from './steps/check-host.ts';
import { createOperationRoute } from './steps/handle-request.ts';
import { countByAddress } from './steps/limit-address.ts';
import { drainBody } from './steps/receive-body.ts';

const API_PREFIX = '/v1';
const RETRY_CONNECTING_AFTER_S = '1';

/** Routes that are not limited by address, or count their requests themselves: by key, by OAuth client, or as MCP message. */
const SEPARATELY_LIMITED: ReadonlySet<string> = new Set([HEALTH_PATH, READY_PATH, MCP_PATH, OAUTH.token, OAUTH.revoke]);

interface ServerAddress {
  readonly host: string;
  readonly port: number;
  readonly connections?: ConnectionLimits;
  /** The origin under which clients reach the service, if another server is in front of it. */
  readonly publicUrl?: string | undefined;
  /** Origins of other pages that may use the API. */
  readonly cors?: readonly string[];
  /** Whether applications may register themselves. By default only if all clients are on this machine. */
  readonly allowRegistration?: boolean | undefined;
  /** Whether to serve the console. Default: true. */
  readonly console?: boolean;
  /** Of the daemon, for the console. */
  readonly dataDir?: string;
  /** Addresses of proxies whose `X-Forwarded-*` headers are used. */
  readonly trustedProxies?: BlockList | undefined;
}

/** Listens on `host:port` after `start()`; port 0 takes a free one. */
export function createApiServer(
  service: Service,
  { host, port, connections = DEFAULT_CONNECTION_LIMITS, trustedProxies, ...settings }: ServerAddress,
): Server {
  const { publicUrl, cors = [], allowRegistration, console: isWanted = true, dataDir = null } = settings;
  // It needs the extensions.
  const hasConsole = isWanted && !service.isStrict;
  const isLoopback = isLoopbackHost(host);
  const publishRequest = createRequestPublisher(service);
  const listener = createListener(service.timeouts, connections);
  const server = createBaseServer({ host, port, listener: listener.server, publicUrl, hasConsole }, service, async (request, h) => {
    const { path, raw } = request;
    if (trustedProxies) readForwardedHeaders(request, trustedProxies);
    checkHost(request, { isLoopback, publicUrl }); // 400, 403
    if (isOfOtherOrigin(request, publicUrl)) {
      await checkOrigin(request, service, cors); // 403
      const preflight = answerPreflight(request, h);
      if (preflight) return preflight;
    }
    publishRequest(request);
    if (!path.startsWith(API_PREFIX)) {
      if (!isHealthCheck(path)) addOtherRoutes();
      if (!SEPARATELY_LIMITED.has(path)) countByAddress(request, service); // 429
    }
    // Health checks are answered on any connection: a full daemon must not be restarted.
    if (listener.isExcess(raw.req.socket) && !isHealthCheck(path)) {
      await drainBody(service, request);
      throw createTooManyConnectionsError(); // 503
    }
    return undefined;
  });
  listener.handleTimeouts();
  const operations: readonly Operation[] = service.isStrict ? listStrictOperations() : OPERATIONS;
  server.route(operations.map((operation) => createOperationRoute(service, operation)));
  if (service.isStrict) server.route(listExtensionOperations().map((operation) => createExtensionRoute(service, operation)));
  server.route({
    method: 'GET',
    path: HEALTH_PATH,
    handler: (_request, h) => h.response({ status: 'ok', version: service.version, instanceId: service.instanceId }).type(JSON_TYPE),
  });
  server.route(readinessRoute(service));
  let hasAllRoutes = false;
  /** Adds documents, pages, OAuth and MCP with the first request that is not for the API, so that a start does not wait for them. */
  function addOtherRoutes(): void {
    if (hasAllRoutes) return;
    hasAllRoutes = true;
    addStartPage(server, service, hasConsole);
    if (hasConsole)
      addConsoleRoutes(server, service, { hasLab: isLoopback && publicUrl === undefined && trustedProxies === undefined, dataDir });
    addOpenApiRoutes(server, operations);
    addReferencePage(server);
    addOAuthRoutes(server, service, allowRegistration ?? (isLoopback && publicUrl === undefined));
    addMcpRoute(server, service);
  }
  return server;
}

/** An operation that the given contract does not have. */
const createExtensionRoute = (service: Service, { method, path }: Operation): ServerRoute => ({
  method,
  path,
  async handler(request) {
    await drainBody(service, request);
    countByAddress(request, service); // 429
    throw new StockroomError('NOT_FOUND', `${explainExtension(`${method} ${path}`)}.`);
  },
});

const createTooManyConnectionsError = (): StockroomError =>
  new StockroomError('UNAVAILABLE', 'The service has too many open connections. Close idle ones and try again.', {
    headers: { connection: 'close', 'retry-after': RETRY_CONNECTING_AFTER_S },
  });
