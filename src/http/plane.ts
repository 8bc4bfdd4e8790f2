/** What the public server and the settings plane do alike: request ids, the refusal while stopping, one form for every error. */
import { randomUUID } from 'node:crypto';
import {
  type Lifecycle,
  type Request,
  type ResponseObject,
  type ResponseToolkit,
  type Server,
  type ServerOptions,
  server as createServer,
} from '@hapi/hapi';
import type { Caller } from '../api/call.ts';
import { REQUEST_ID, REQUEST_ID_PATTERN } from '../contract/headers.ts';
import { StockroomError } from '../domain/errors.ts';
import { envelope, toStockroomError, unavailable } from './envelope.ts';
import type { OperationRoutes } from './operation-routes.ts';
import type { RateState } from './rate-limit.ts';
import { refuse } from './receive.ts';
import { JSON_TYPE, commonHeaders } from './reply.ts';
import type { Service } from './service.ts';

declare module '@hapi/hapi' {
  interface RequestApplicationState {
    requestId: string;
    caller?: Caller;
    rate?: RateState;
  }
}

interface Steps {
  /** Decides whether a request may come from where it says it does. */
  readonly begin: (request: Request) => void;
  /** Steps 3 to 5 for an operation. Not left to hapi's authentication, whose way to them costs as much as they do. */
  readonly admit?: (request: Request, h: ResponseToolkit) => Promise<Lifecycle.ReturnValue>;
}

/** A hapi server with steps 1, 2 and 10 of `server.ts`. */
export function planeServer(
  service: Service,
  listen: Pick<ServerOptions, 'host' | 'port' | 'autoListen'>,
  routes: OperationRoutes,
  { begin, admit }: Steps,
): Server {
  const server = createServer({
    ...listen,
    compression: false,
    debug: false,
    routes: {
      // `receive` reads it, and judges its size; its type is for whoever reads it, so hapi looks at none.
      payload: { parse: false, output: 'stream', maxBytes: Number.MAX_SAFE_INTEGER, override: 'application/octet-stream' },
      state: { parse: false, failAction: 'ignore' },
      response: { ranges: false, emptyStatusCode: 204 },
    },
  });
  server.ext('onRequest', (request, h) => {
    request.app.requestId = requestIdOf(request);
    if (service.isClosing()) throw unavailable();
    begin(request);
    const refused = routes.find(request);
    if (refused) return refuse(request, refused);
    return admit && request.app.operation ? admit(request, h) : h.continue;
  });
  server.ext('onPreResponse', (request, h) => finish(service, routes, request, h));
  return server;
}

function requestIdOf(request: Request): string {
  const wanted = request.headers[REQUEST_ID] as string | undefined;
  return wanted !== undefined && REQUEST_ID_PATTERN.test(wanted) ? wanted : randomUUID();
}

function finish(service: Service, routes: OperationRoutes, request: Request, h: ResponseToolkit): ResponseObject | symbol {
  const { response } = request;
  const reply = response instanceof Error ? refusal(service, routes, request, h, response) : response;
  const headers = commonHeaders(request);
  for (let at = 0; at < headers.length; at += 2) reply.header(headers[at]!, headers[at + 1]!);
  return response instanceof Error ? reply : h.continue;
}

function refusal(service: Service, routes: OperationRoutes, request: Request, h: ResponseToolkit, thrown: Error): ResponseObject {
  const error = thrown instanceof StockroomError ? thrown : (fromHapi(routes, thrown, request) ?? toStockroomError(thrown));
  const { requestId } = request.app;
  // Turned away by a stop: as it should be, and nothing to look for in the log.
  const isTurnedAway = service.isClosing() && error.code === 'UNAVAILABLE' && error.cause === undefined;
  if (error.status >= 500 && !request.app.mishap && !isTurnedAway) {
    service.log.error(
      { err: error.cause ?? error, code: error.code, requestId, method: request.method, path: request.path },
      error.message,
    );
  }
  const reply = h
    .response(JSON.stringify(envelope(error, requestId)))
    .type(JSON_TYPE)
    .code(error.status);
  for (const [name, value] of Object.entries(error.headers ?? {})) reply.header(name, value);
  return reply;
}

/** Hapi's own refusals in our words. */
function fromHapi(routes: OperationRoutes, thrown: Error, request: Request): StockroomError | undefined {
  const status = (thrown as { output?: { statusCode?: number } }).output?.statusCode;
  switch (status) {
    case 404:
      return routes.unrouted(request);
    case 400:
      // A parameter that cannot be decoded is an absent resource, like any other malformed id.
      if (thrown.message === 'Bad Request') return routes.takes(request) ? brokenOff() : routes.unrouted(request);
      return new StockroomError('VALIDATION_FAILED', `${thrown.message}.`, {
        fields: [{ in: 'path', path: '', code: 'bad_format', message: thrown.message }],
      });
    default:
      return undefined;
  }
}

/** The bytes stop being HTTP behind the head of the request, as in a chunk without a size: hapi says no more than 'Bad Request' then. */
const brokenOff = (): StockroomError =>
  new StockroomError('MALFORMED_JSON', 'The body breaks the rules of HTTP, or what follows it is no request.', {
    headers: { connection: 'close' },
  });
