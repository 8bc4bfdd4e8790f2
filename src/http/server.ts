/**
 * The server for /v1. The steps of a request, in the order of decisions-api §2:
 *  1. request id, Host and Origin, shutting down?       (onRequest)
 *  2. route and method                                   hapi's router; 404, 405
 *  3. credentials                                        `authenticate`; 401
 *  4. rate window of the key                             `rate-limit`; 429
 *  5. scope, then plan                                   `permit`; 403
 *  6. size, media type, JSON                             `body`; 413, 415, 400
 *  7. Idempotency-Key, stored reply                      `idempotency`; 400, 409
 *  8. query, body, path against the contract             `validate`; 400, 404
 *  9. the handler, in one read or one transaction        404, 409, 412
 * 10. one form for every error, headers for every reply  (onPreResponse)
 */
import { type Request, type ResponseObject, type ResponseToolkit, type Server, server as createServer } from '@hapi/hapi';
import type { Caller } from '../api/call.ts';
import { REQUEST_ID, REQUEST_ID_PATTERN } from '../contract/headers.ts';
import { BODY_MAX_BYTES } from '../contract/limits.ts';
import { StockroomError } from '../domain/errors.ts';
import { authenticate } from './authenticate.ts';
import { envelope, toStockroomError, unavailable } from './envelope.ts';
import { checkHost } from './hosts.ts';
import { permit } from './permit.ts';
import { rateHeaders, type RateState } from './rate-limit.ts';
import { addRoutes } from './routes.ts';
import type { Service } from './service.ts';

declare module '@hapi/hapi' {
  interface RequestApplicationState {
    requestId: string;
    caller?: Caller;
    rate?: RateState;
  }
}

const BODY_TIMEOUT_MS = 10_000;
const JSON_TYPE = 'application/json; charset=utf-8';

/** Listens on `host:port` after `start()`; port 0 takes a free one. */
export function apiServer(service: Service, { host, port }: { host: string; port: number }): Server {
  const server = createServer({
    host,
    port,
    compression: false,
    debug: false,
    routes: {
      payload: { parse: false, output: 'data', maxBytes: BODY_MAX_BYTES, timeout: BODY_TIMEOUT_MS },
      state: { parse: false, failAction: 'ignore' },
      response: { ranges: false, emptyStatusCode: 204 },
    },
  });
  server.ext('onRequest', (request, h) => {
    request.app.requestId = requestIdOf(request, service);
    if (service.isClosing()) throw unavailable();
    checkHost(host, request.headers['host'] as string | undefined, request.headers['origin'] as string | undefined);
    return h.continue;
  });
  server.auth.scheme('key', () => ({ authenticate: (request, h) => admit(service, request, h) }));
  server.auth.strategy('key', 'key');
  server.ext('onPreResponse', (request, h) => finish(service, request, h));
  addRoutes(server, service);
  return server;
}

/** Steps 3 to 5. */
async function admit(service: Service, request: Request, h: ResponseToolkit) {
  const caller = await authenticate(service, request);
  const now = service.clock.now();
  const rate = service.limiter.count(caller.key, now.getTime());
  request.app.caller = caller;
  request.app.rate = rate;
  if (!rate.allowed) {
    throw new StockroomError(
      'RATE_LIMITED',
      `This key may send ${String(rate.limit)} requests a minute; the next is possible in ${String(rate.resetSeconds)} s.`,
      {
        headers: { 'retry-after': String(rate.resetSeconds) },
        details: { limit: rate.limit, retryAfterSeconds: rate.resetSeconds },
      },
    );
  }
  const op = request.route.settings.app?.operation;
  if (op) {
    service.usage.count(caller.key, op.id, now);
    permit(caller, op);
  }
  return h.authenticated({ credentials: {} });
}

function requestIdOf(request: Request, service: Service): string {
  const wanted = request.headers[REQUEST_ID] as string | undefined;
  return wanted !== undefined && REQUEST_ID_PATTERN.test(wanted) ? wanted : service.newId();
}

/** Step 10. */
function finish(service: Service, request: Request, h: ResponseToolkit): ResponseObject | symbol {
  const { requestId, rate } = request.app;
  const { response } = request;
  const reply = response instanceof Error ? refusal(service, request, h, response) : response;
  reply.header(REQUEST_ID, requestId);
  if (rate) for (const [name, value] of rateHeaders(rate)) reply.header(name, value);
  return response instanceof Error ? reply : h.continue;
}

function refusal(service: Service, request: Request, h: ResponseToolkit, thrown: Error): ResponseObject {
  const error = thrown instanceof StockroomError ? thrown : (fromHapi(thrown) ?? toStockroomError(thrown));
  const { requestId } = request.app;
  if (error.status >= 500) {
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
function fromHapi(thrown: Error): StockroomError | undefined {
  const status = (thrown as { output?: { statusCode?: number } }).output?.statusCode;
  switch (status) {
    case 404:
      return new StockroomError('NOT_FOUND', 'There is no such path; GET /v1 lists what there is.');
    case 413:
      return new StockroomError('PAYLOAD_TOO_LARGE', `The body is larger than ${String(BODY_MAX_BYTES)} bytes.`, {
        details: { limit: BODY_MAX_BYTES },
      });
    case 408:
      return new StockroomError('REQUEST_TIMEOUT', `The body did not arrive within ${String(BODY_TIMEOUT_MS / 1000)} s.`, {
        headers: { connection: 'close' },
      });
    case 400:
      return new StockroomError('VALIDATION_FAILED', `${thrown.message}.`, {
        fields: [{ in: 'path', path: '', code: 'bad_format', message: thrown.message }],
      });
    default:
      return undefined;
  }
}
