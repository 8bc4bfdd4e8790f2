/** The server for /v1, and the steps of its requests. */
import type { Request, Server } from '@hapi/hapi';
import { isLoopbackHost } from '../contract/loopback.ts';
import { MCP_PATH } from '../contract/mcp-tools.ts';
import { OAUTH } from '../contract/oauth.ts';
import { OPERATIONS } from '../contract/index.ts';
import { type Operation, isIdempotent } from '../contract/operation.ts';
import {
  type BaseContext,
  type BaseSteps,
  assignRequestId,
  completeResponse,
  createBaseServer,
  rejectDuringShutdown,
} from './base-server.ts';
import { HEALTH_PATH } from './health-path.ts';
import { type ConnectionLimits, DEFAULT_CONNECTION_LIMITS, createListener } from './listener.ts';
import { type ToolCallSteps, addMcpRoute } from './mcp-endpoint.ts';
import { addOAuthRoutes } from './oauth/routes.ts';
import { addOpenApiRoutes } from './openapi-documents.ts';
import { addReferencePage } from './reference-page.ts';
import { createRequestPublisher } from './request-events.ts';
import { JSON_TYPE } from './response/reply.ts';
import { batchReads, writeReply } from './response/write-reply.ts';
import type { Service } from './service.ts';
import { addStartPage } from './start-page.ts';
import { authenticate } from './steps/authenticate.ts';
import { authorize } from './steps/authorize.ts';
import { type HostContext, checkHost } from './steps/check-host.ts';
import { countRequest } from './steps/count-request.ts';
import { finishDryRun } from './steps/dry-run.ts';
import { findStoredReply, lockIdempotencyKey, readIdempotencyKey, storeReply } from './steps/idempotency.ts';
import { dropReply, injectFault } from './steps/inject-fault.ts';
import { parseBody } from './steps/json-body.ts';
import { OperationRoutes, findOperation } from './steps/operation-routes.ts';
import { countByAddress } from './steps/limit-address.ts';
import { type ConnectionContext, limitConnections } from './steps/limit-connections.ts';
import type { OperationStep } from './steps/operation-step.ts';
import { receiveBody } from './steps/receive-body.ts';
import type { CallerStep, RequestStep } from './steps/request-step.ts';
import { checkKeyAgain, createReply, runHandler } from './steps/run-handler.ts';
import { type HandlerSteps, createOperationHandler } from './steps/run-operation.ts';
import { validateCall } from './steps/validate-request.ts';

const API_PREFIX = '/v1';

interface ApiContext extends BaseContext, HostContext, ConnectionContext {
  readonly publishRequest: (request: Request) => undefined;
  readonly addOtherRoutes: (request: Request) => undefined;
}

const isWrite = ({ method }: Operation): boolean => method !== 'GET';

/** Run for every API request and for every tool call. */
const CALLER_STEPS: readonly CallerStep[] = [
  { name: 'count request', run: countRequest }, // 429
  { name: 'authorize', run: authorize }, // 403
];

/** Run for every API request and for every tool call. The first step that needs a transaction opens it; the last one commits it. */
const OPERATION_STEPS: readonly OperationStep[] = [
  { name: 'parse body', appliesTo: isIdempotent, run: parseBody }, // 415, 400
  { name: 'read Idempotency-Key', appliesTo: isIdempotent, run: readIdempotencyKey }, // 400
  { name: 'lock Idempotency-Key', appliesTo: isIdempotent, run: lockIdempotencyKey }, // 409
  { name: 'find stored reply', appliesTo: isIdempotent, inTransaction: true, run: findStoredReply }, // 409
  { name: 'validate request', run: validateCall }, // 400, 404
  { name: 'check key again', appliesTo: isWrite, inTransaction: true, run: checkKeyAgain }, // 401
  { name: 'run handler', inTransaction: true, run: runHandler }, // 404, 409, 412
  { name: 'create reply', run: createReply },
  { name: 'finish dry run', appliesTo: isIdempotent, run: finishDryRun },
  { name: 'store reply', appliesTo: isIdempotent, inTransaction: true, run: storeReply },
];

/**
 * The steps of an API request. They run in the order of this list, A-2; the comments are the statuses with which a step rejects.
 * `docs/architecture.md` shows the list, and a test compares the two.
 */
export const API_STEPS: BaseSteps<ApiContext> & HandlerSteps = {
  arrival: [
    { name: 'assign request id', run: assignRequestId },
    { name: 'reject during shutdown', run: rejectDuringShutdown }, // 503
    { name: 'check Host and Origin', run: checkHost }, // 400, 403
    { name: 'publish request', run: (request, { publishRequest }) => publishRequest(request) },
    { name: 'add other routes', run: (request, { addOtherRoutes }) => addOtherRoutes(request) },
    { name: 'limit other routes', run: limitOtherRoutes }, // 429
  ],
  admission: [
    { name: 'limit connections', run: limitConnections }, // 503
    { name: 'find operation', run: findOperation }, // 404, 405
    { name: 'authenticate', run: (request, { service }) => authenticate(request, service) }, // 401, 429
    ...CALLER_STEPS.map(toRequestStep),
    { name: 'inject fault', run: injectFault },
  ],
  body: [{ name: 'receive body', run: receiveBody }], // 408, 413
  operation: OPERATION_STEPS,
  reply: [
    { name: 'batch reads', run: batchReads },
    { name: 'drop reply', run: dropReply },
    { name: 'write reply', run: writeReply },
  ],
  response: [{ name: 'complete response', run: completeResponse }],
};

/** The steps of a tool call. The MCP request that it belongs to has been authenticated before. */
const TOOL_CALL_STEPS: ToolCallSteps = { caller: CALLER_STEPS, operation: OPERATION_STEPS };

/** Routes that are not limited by address, or count their requests themselves: by key, by OAuth client, or as MCP message. */
const SEPARATELY_LIMITED: ReadonlySet<string> = new Set([HEALTH_PATH, MCP_PATH, OAUTH.token, OAUTH.revoke]);

/** Those routes need no key. */
function limitOtherRoutes(request: Request, { service }: ApiContext): undefined {
  const { path } = request;
  if (!path.startsWith(API_PREFIX) && !SEPARATELY_LIMITED.has(path)) countByAddress(request, service);
}

function toRequestStep({ name, run }: CallerStep): RequestStep<ApiContext> {
  return { name, run: (request, { service }) => run(request, request.app.caller!, request.app.operation!, service) };
}

interface ServerAddress {
  readonly host: string;
  readonly port: number;
  readonly connections?: ConnectionLimits;
}

/** Listens on `host:port` after `start()`; port 0 takes a free one. */
export function createApiServer(service: Service, { host, port, connections = DEFAULT_CONNECTION_LIMITS }: ServerAddress): Server {
  const routes = new OperationRoutes(API_PREFIX, OPERATIONS);
  let hasAllRoutes = false;
  /** Adds documents, pages, OAuth and MCP with the first request that is not for the API, so that a start does not wait for them. */
  const addOtherRoutes = ({ path }: Request): undefined => {
    if (hasAllRoutes || path.startsWith(API_PREFIX) || path === HEALTH_PATH) return;
    hasAllRoutes = true;
    addStartPage(server, service);
    addOpenApiRoutes(server);
    addReferencePage(server);
    addOAuthRoutes(server, service);
    addMcpRoute(server, service, TOOL_CALL_STEPS);
  };
  const publishRequest = createRequestPublisher(service);
  const listener = createListener({ headerMs: service.requestHeaderTimeoutMs, idleMs: service.idleConnectionTimeoutMs }, connections);
  const server = createBaseServer({ host, port, listener: listener.server }, API_STEPS, {
    service,
    routes,
    isLoopback: isLoopbackHost(host),
    publishRequest,
    addOtherRoutes,
    listener,
  });
  listener.handleTimeouts();
  routes.addTo(server, createOperationHandler(service, API_STEPS));
  server.route({
    method: 'GET',
    path: HEALTH_PATH,
    handler: (_request, h) => h.response({ status: 'ok', version: service.version, instanceId: service.instanceId }).type(JSON_TYPE),
  });
  return server;
}
