/** What the API server and the server of the admin API share: request ids, errors during shutdown, one format for every error. */
import { randomUUID } from 'node:crypto';
import {
  type Request,
  type ResponseObject,
  type ResponseToolkit,
  type Server,
  type ServerOptions,
  server as createServer,
} from '@hapi/hapi';
import type { Caller } from '../api/handler.ts';
import { REQUEST_ID, REQUEST_ID_PATTERN } from '../contract/headers.ts';
import { StockroomError } from '../domain/kernel/errors.ts';
import { toErrorEnvelope, toStockroomError, createShutdownError } from './response/error-envelope.ts';
import type { OperationRoutes } from './steps/operation-routes.ts';
import type { RateLimitState } from './rate-limiter.ts';
import { isInjectedFault } from './steps/inject-fault.ts';
import { drainBodyAndThrow } from './steps/receive-body.ts';
import { type RequestStep, runSteps } from './steps/request-step.ts';
import { JSON_TYPE, listCommonHeaders } from './response/reply.ts';
import type { Service } from './service.ts';

declare module '@hapi/hapi' {
  interface RequestApplicationState {
    requestId: string;
    /** Set by 'authenticate'. */
    caller?: Caller;
    /** The rate window of the caller, set by 'count request'. */
    rate?: RateLimitState;
    /** Set by 'complete response': the error that the client received. */
    error?: StockroomError;
  }
}

/** What the steps of every server can use. */
export interface BaseContext {
  readonly service: Service;
  readonly routes: OperationRoutes;
}

/** The steps that both servers run outside of a handler. */
export interface BaseSteps<Context> {
  /** Run in hapi's `onRequest`, synchronously. A request that is rejected here keeps its body unread. */
  readonly arrival: readonly { readonly name: string; readonly run: (request: Request, context: Context) => undefined }[];
  /**
   * Run in `onRequest`, too. A request that is rejected here has its body drained first. hapi's authentication is not used for this, because
   * each further point of its lifecycle costs as much as one of these steps.
   */
  readonly admission: readonly RequestStep<Context>[];
  /** Run in hapi's `onPreResponse`; replies that are written directly skip them. */
  readonly response: readonly RequestStep<Context>[];
}

/** A hapi server that runs `steps`. */
export function createBaseServer<Context extends BaseContext>(
  listen: Pick<ServerOptions, 'host' | 'port' | 'listener'>,
  steps: BaseSteps<Context>,
  context: Context,
): Server {
  const { service } = context;
  const server = createServer({
    ...listen,
    compression: false,
    debug: false,
    app: { requestBodyTimeoutMs: service.requestBodyTimeoutMs },
    routes: {
      // `receiveBody` reads the body and limits its size, and parsers check its type, so hapi must do neither.
      payload: { parse: false, output: 'stream', maxBytes: Number.MAX_SAFE_INTEGER, override: 'application/octet-stream' },
      state: { parse: false, failAction: 'ignore' },
      response: { ranges: false, emptyStatusCode: 204 },
    },
  });
  server.ext('onRequest', (request, h) => {
    for (const { run } of steps.arrival) run(request, context);
    return runSteps(steps.admission, request, context, h, drainBodyAndThrow);
  });
  server.ext('onPreResponse', (request, h) => runSteps(steps.response, request, context, h));
  return server;
}

export function assignRequestId({ headers, app }: Request): undefined {
  const given = headers[REQUEST_ID] as string | undefined;
  app.requestId = given !== undefined && REQUEST_ID_PATTERN.test(given) ? given : randomUUID();
}

export function rejectDuringShutdown(_request: Request, { service }: BaseContext): undefined {
  if (service.isClosing()) throw createShutdownError();
}

/** Converts errors to the envelope of the API, and adds the headers of every response. */
export function completeResponse(request: Request, context: BaseContext, h: ResponseToolkit): ResponseObject | undefined {
  const { response } = request;
  const completed = response instanceof Error ? toErrorResponse(request, context, h, response) : response;
  const headers = listCommonHeaders(request);
  for (let at = 0; at < headers.length; at += 2) completed.header(headers[at]!, headers[at + 1]!);
  return response instanceof Error ? completed : undefined;
}

function toErrorResponse(request: Request, { service, routes }: BaseContext, h: ResponseToolkit, thrown: Error): ResponseObject {
  const error = thrown instanceof StockroomError ? thrown : (convertHapiError(routes, thrown, request) ?? toStockroomError(thrown));
  const { requestId } = request.app;
  request.app.error = error;
  // Expected during a shutdown, so it is not logged.
  const isShutdownRefusal = service.isClosing() && error.code === 'UNAVAILABLE' && error.cause === undefined;
  if (error.status >= 500 && !isInjectedFault(error) && !isShutdownRefusal) {
    service.log.error(
      { err: error.cause ?? error, code: error.code, requestId, method: request.method, path: request.path },
      error.message,
    );
  }
  const reply = h
    .response(JSON.stringify(toErrorEnvelope(error, requestId)))
    .type(JSON_TYPE)
    .code(error.status);
  for (const [name, value] of Object.entries(error.headers ?? {})) reply.header(name, value);
  return reply;
}

/** Errors that hapi itself throws, as errors of the API. */
function convertHapiError(routes: OperationRoutes, thrown: Error, request: Request): StockroomError | undefined {
  const status = (thrown as { output?: { statusCode?: number } }).output?.statusCode;
  switch (status) {
    case 404:
      return routes.toRoutingError(request);
    case 400:
      // A path parameter that cannot be decoded is reported as a missing resource, like any other malformed id.
      if (thrown.message === 'Bad Request') return routes.isRouted(request) ? createMalformedHttpError() : routes.toRoutingError(request);
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
