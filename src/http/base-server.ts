/** What the API server and the server of the admin API share: request ids, errors during shutdown, one format for every error. */
import { randomUUID } from 'node:crypto';
import {
  type Request,
  type ResponseObject,
  type ResponseToolkit,
  type Server,
  type ServerOptions,
  type ServerOptionsApp,
  server as createServer,
} from '@hapi/hapi';
import type { Caller } from '../api/handler.ts';
import { INJECTED_FAULT_MESSAGE } from '../contract/admin/faults.ts';
import type { ApiKeyRecord } from '../domain/tenancy/records.ts';
import { REQUEST_ID, REQUEST_ID_PATTERN } from '../contract/headers.ts';
import { StockroomError } from '../domain/kernel/errors.ts';
import { addCorsHeaders } from './cors.ts';
import { READY_PATH } from './health-path.ts';
import { toErrorEnvelope, toStockroomError, createShutdownError } from './response/error-envelope.ts';
import { type RateLimitState, toRateLimitHeaders } from './requests/rate-limiter.ts';
import { isInjectedFault, slowDown } from './steps/inject-fault.ts';
import { createRoutingError, findPage, hasRoute } from './routing-errors.ts';
import { JSON_TYPE } from './response/reply.ts';
import type { RequestServices } from './request-services.ts';

declare module '@hapi/hapi' {
  interface RequestApplicationState {
    requestId: string;
    /** The position of the request in a trace. */
    traceparent?: string | undefined;
    /** Set by `authenticate`. */
    caller?: Caller;
    /** The expired or revoked key of a request that `authenticate` rejected: for the request log only. */
    endedKey?: Pick<ApiKeyRecord, 'id' | 'prefix' | 'tenantId'>;
    /** The rate window of the caller, set by `countRequest`. */
    rate?: RateLimitState;
    /** The error that the client received. */
    error?: StockroomError;
  }
}

/** `onArrival` runs before routing, for every request, and can reject or answer it. */
export function createBaseServer(
  { publicUrl, hasConsole = false, ...listen }: Pick<ServerOptions, 'host' | 'port' | 'listener'> & ServerOptionsApp,
  service: RequestServices,
  onArrival: (request: Request, h: ResponseToolkit) => Promise<ResponseObject | undefined> | ResponseObject | undefined,
): Server {
  const server = createServer({
    ...listen,
    compression: false,
    debug: false,
    app: { publicUrl, hasConsole },
    routes: {
      // `receiveBody` reads the body and limits its size, and parsers check its type, so hapi must do neither.
      payload: { parse: false, output: 'stream', maxBytes: Number.MAX_SAFE_INTEGER, override: 'application/octet-stream' },
      state: { parse: false, failAction: 'ignore' },
      response: { ranges: false, emptyStatusCode: 204 },
    },
  });
  server.ext('onRequest', async (request, h) => {
    assignRequestId(request);
    if (service.isClosing() && request.path !== READY_PATH) throw createShutdownError();
    const reply = await onArrival(request, h);
    return reply === undefined ? h.continue : reply.takeover();
  });
  server.ext('onPreResponse', (request, h) => completeResponse(request, service, h));
  return server;
}

function assignRequestId({ headers, app }: Request): void {
  const given = headers[REQUEST_ID] as string | undefined;
  app.requestId = given !== undefined && REQUEST_ID_PATTERN.test(given) ? given : randomUUID();
}

/** Converts errors to the envelope of the API, and adds the headers of every response. */
function completeResponse(request: Request, service: RequestServices, h: ResponseToolkit): ResponseObject {
  const { response, app } = request;
  const completed = slowDown(request, h, response instanceof Error ? replaceError(request, service, h, response) : response);
  if (!(response instanceof Error) && app.injectedFault && response.statusCode >= 500)
    logInjectedFault(service, request, response.statusCode);
  completed.header(REQUEST_ID, app.requestId).header('x-content-type-options', 'nosniff');
  addCorsHeaders(request, completed);
  // A 401 never states the rate limit of a key, also if its access was withdrawn while the request ran.
  if (app.rate && completed.statusCode !== 401)
    for (const [name, value] of Object.entries(toRateLimitHeaders(app.rate))) completed.header(name, value);
  return completed;
}

function replaceError(request: Request, service: RequestServices, h: ResponseToolkit, thrown: Error): ResponseObject {
  const page = getStatus(thrown) === 404 ? findPage(request) : undefined;
  return page === undefined ? toErrorResponse(request, service, h, thrown) : h.redirect(page).permanent();
}

function toErrorResponse(request: Request, service: RequestServices, h: ResponseToolkit, thrown: Error): ResponseObject {
  const error = thrown instanceof StockroomError ? thrown : (convertHapiError(thrown, request) ?? toStockroomError(thrown));
  const { requestId } = request.app;
  request.app.error = error;
  logServerError(service, request, error);
  const reply = h
    .response(JSON.stringify(toErrorEnvelope(error, requestId)))
    .type(JSON_TYPE)
    .code(error.status);
  for (const [name, value] of Object.entries(error.headers ?? {})) reply.header(name, value);
  return reply;
}

/** Logs an error that a client sees as 5xx under its request id: with its stack if it is unexpected, else as one line. */
export function logServerError(service: RequestServices, request: Request, error: StockroomError): void {
  const { status, code, cause, message } = error;
  // A request that is rejected because the service stops is no fault.
  if (status < 500 || (code === 'UNAVAILABLE' && service.isClosing())) return;
  const { requestId, operation } = request.app;
  const facts = { code, requestId, operation: operation?.id, method: request.method, path: request.path };
  if (isInjectedFault(error)) logInjectedFault(service, request, status);
  else if (code === 'INTERNAL_ERROR') service.log.error({ err: cause ?? error, ...facts, status }, message);
  else service.log.warn({ ...facts, status }, message);
}

function logInjectedFault({ log }: RequestServices, { app, method, path }: Request, status: number): void {
  log.warn({ requestId: app.requestId, operation: app.operation?.id, method, path, status }, INJECTED_FAULT_MESSAGE);
}

/** Of an error that hapi itself throws. */
const getStatus = (thrown: Error): number | undefined => (thrown as { output?: { statusCode?: number } }).output?.statusCode;

/** Errors that hapi itself throws, as errors of the API. */
function convertHapiError(thrown: Error, request: Request): StockroomError | undefined {
  switch (getStatus(thrown)) {
    case 404:
      return createRoutingError(request);
    case 400:
      // A path parameter that cannot be decoded is reported as a missing resource, like any other malformed id.
      if (thrown.message === 'Bad Request')
        return hasRoute(request.server, request.method, request.path) ? createMalformedHttpError() : createRoutingError(request);
      return new StockroomError('VALIDATION_FAILED', `${thrown.message}.`, {
        fields: [{ in: 'path', path: '', code: 'bad_format', message: thrown.message }],
      });
    default:
      return undefined;
  }
}

/** The bytes after the request headers are not valid HTTP, for example a chunk without a size. hapi only says 'Bad Request' then. */
const createMalformedHttpError = (): StockroomError =>
  new StockroomError('MALFORMED_JSON', 'The body, or what follows it, is not valid HTTP.', {
    headers: { connection: 'close' },
  });
