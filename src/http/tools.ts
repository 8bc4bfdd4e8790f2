/**
 * `/mcp`: the tools for assistants over streamable HTTP. decisions-api §7. What is HTTP is decided here, in the same steps as for /v1:
 * Host and Origin, credentials, size and media type, JSON; what is MCP by the endpoint. Each call of a tool then takes steps 4 to 9 for its operation,
 * so it is limited, counted, permitted and recorded once, exactly as a request of its own.
 */
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { Request, ResponseObject, ResponseToolkit, Server } from '@hapi/hapi';
import type { Caller } from '../api/call.ts';
import { IDEMPOTENCY_KEY } from '../contract/headers.ts';
import type { Operation } from '../contract/operation.ts';
import { MCP_PATH, TOOLS } from '../contract/tools.ts';
import { StockroomError } from '../domain/errors.ts';
import { admit } from './admit.ts';
import { jsonBody } from './body.ts';
import { envelope, toStockroomError } from './envelope.ts';
import { refuseOtherMethods } from './plane.ts';
import { type Incoming, performing } from './routes.ts';
import type { Service, ToolExchange } from './service.ts';
import { write } from './write.ts';

const ACCEPTED = /(?:^|[,\s])(?:application\/(?:json|\*)|\*\/\*)(?:$|[;,\s])/iu;

export function addTools(server: Server, service: Service): void {
  const perform = performer(service);
  const open = new Set<AbortController>();
  server.ext('onPreStop', () => {
    for (const exchange of open) exchange.abort();
  });
  server.route({
    method: 'POST',
    path: MCP_PATH,
    options: { auth: 'key' },
    handler: async (request, h) => {
      checkAccept(request);
      const body = jsonBody(request);
      const end = new AbortController();
      open.add(end);
      request.raw.res.once('close', () => {
        open.delete(end);
        end.abort();
      });
      let refusal: StockroomError | undefined;
      const caller: ToolExchange['caller'] = {
        requestId: request.app.requestId,
        perform: async (op, parts, idempotencyKey) => {
          try {
            const { status, body: text } = await perform(request, op, parts, idempotencyKey);
            return { status, text, headers: {} };
          } catch (thrown) {
            const error = toStockroomError(thrown);
            if (error.status >= 500) service.log.error({ err: error.cause ?? error, code: error.code, requestId: request.app.requestId }, error.message);
            if (error.headers?.['www-authenticate'] !== undefined) refusal = error;
            return { status: error.status, text: JSON.stringify(envelope(error, request.app.requestId)), headers: error.headers ?? {} };
          }
        },
      };
      const { headers } = request as { headers: Readonly<Record<string, string | undefined>> };
      const answer = await service.tools.answer({ headers, body, caller, signal: end.signal });
      // A challenge is for the client's HTTP, which can ask for more scopes; in a batch other calls have been answered.
      if (refusal && !Array.isArray(body)) throw refusal;
      return reply(request, h, answer);
    },
  });
  refuseOtherMethods(server, [{ path: MCP_PATH, method: 'POST' }]);
}

/** One operation for a call of a tool. */
function performer(service: Service) {
  const operations = new Map(TOOLS.map(({ operation: op }) => [op.id, performing(service, op)]));
  return async (
    request: Request,
    op: Operation,
    { params = {}, query = {}, body }: Parameters<ToolExchange['caller']['perform']>[1],
    idempotencyKey: string | undefined,
  ) => {
    const run = operations.get(op.id);
    if (!run) throw new Error(`${op.id} is the operation of no tool`);
    const { app, info } = request;
    const caller = app.caller as Caller;
    admit(service, request, caller, op);
    const path = op.path.replaceAll(/\{(\w+)\}/gu, (_whole, name: string) => encodeURIComponent(params[name] ?? ''));
    const incoming: Incoming = {
      method: op.method.toLowerCase() as Incoming['method'],
      path,
      params,
      query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
      headers: {
        'content-type': 'application/json',
        ...(idempotencyKey === undefined ? {} : { [IDEMPOTENCY_KEY]: idempotencyKey }),
      },
      payload: body === undefined ? null : Buffer.from(JSON.stringify(body)),
      app,
      info,
    } as Incoming;
    return run(incoming, caller);
  };
}

function checkAccept({ headers }: Request): void {
  const accept = headers['accept'] as string | undefined;
  if (accept !== undefined && !ACCEPTED.test(accept)) {
    throw new StockroomError('NOT_ACCEPTABLE', 'The answer is JSON; send Accept: application/json, text/event-stream.');
  }
}

function reply(
  request: Request,
  h: ResponseToolkit,
  { status, headers, body }: Awaited<ReturnType<Service['tools']['answer']>>,
): ResponseObject | symbol {
  // An answer may hold a secret that is shown once.
  if (typeof body === 'string' && headers.length === 0) return write(request, h, { status, body, noStore: true });
  const response = h.response(typeof body === 'string' ? body : Readable.fromWeb(body as ReadableStream)).code(status);
  for (const [name, value] of headers) if (name !== 'connection' && name !== 'content-length') response.header(name, value);
  return response.header('cache-control', 'no-store');
}
