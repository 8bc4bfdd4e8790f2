/**
 * `/mcp`: the tools for assistants over streamable HTTP. decisions-api §7. What is HTTP is decided here, in the same steps as for /v1:
 * Host and Origin, credentials, size and media type, JSON; what is MCP by the endpoint. Each call of a tool then takes steps 4 to 9 for
 * its operation, so it is limited, counted, permitted and recorded once, exactly as a request of its own.
 */
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { Request, ResponseObject, ResponseToolkit, Server } from '@hapi/hapi';
import type { Caller } from '../api/call.ts';
import { IDEMPOTENCY_KEY } from '../contract/headers.ts';
import { MCP_PATH, TOOLS } from '../contract/tools.ts';
import { StockroomError } from '../domain/errors.ts';
import { admit } from './admit.ts';
import { authenticate } from './authenticate.ts';
import { jsonBody } from './body.ts';
import { envelope, toStockroomError } from './envelope.ts';
import { goWrongInside } from './faults.ts';
import { type Incoming, performing } from './perform.ts';
import { RECEIVING, refuse } from './receive.ts';
import type { Service, ToolAnswer, ToolExchange } from './service.ts';
import { nextTurn, write } from './write.ts';

type ToolCaller = ToolExchange['caller'];
type Performers = ReadonlyMap<string, ReturnType<typeof performing>>;

export function addTools(server: Server, service: Service): void {
  const performers: Performers = new Map(TOOLS.map(({ operation: op }) => [op.id, performing(service, op)]));
  const open = new Set<AbortController>();
  server.ext('onPreStop', () => {
    for (const exchange of open) exchange.abort();
  });
  server.auth.scheme('key', () => ({
    authenticate: async (request, h) => {
      request.app.caller = await authenticate(service, request, MCP_PATH).catch((refusal: unknown) => refuse(request, refusal));
      return h.authenticated({ credentials: {} });
    },
  }));
  server.auth.strategy('key', 'key');
  server.route({
    method: 'POST',
    path: MCP_PATH,
    options: { auth: 'key', ext: RECEIVING },
    handler: async (request, h) => {
      checkAccept(request);
      const body = jsonBody(request);
      let challenge: StockroomError | undefined;
      const caller = callerOf(service, performers, request, (error) => {
        if (error.headers?.['www-authenticate'] !== undefined) challenge = error;
      });
      const headers = request.headers as Readonly<Record<string, string | undefined>>;
      const answer = await service.tools.answer({ headers, body, caller, signal: () => signalOf(request, open) });
      // A challenge is for the client's HTTP, which can ask for more scopes; in a batch other calls have been answered.
      if (challenge && !Array.isArray(body)) throw challenge;
      await nextTurn();
      return reply(request, h, answer);
    },
  });
}

/** Fires when the client has gone or the server stops. Made only for what may go on for long: it costs as much as a small read. */
function signalOf(request: Request, open: Set<AbortController>): AbortSignal {
  const end = new AbortController();
  open.add(end);
  request.raw.res.once('close', () => {
    open.delete(end);
    end.abort();
  });
  return end.signal;
}

/** Performs operations for the key of a request. `onRefusal` hears of every refusal. */
function callerOf(service: Service, performers: Performers, request: Request, onRefusal: (error: StockroomError) => void): ToolCaller {
  const { requestId, caller } = request.app;
  const refusal = (thrown: unknown): ToolAnswer => {
    const error = toStockroomError(thrown);
    const { status, code, message, cause, headers = {} } = error;
    if (status >= 500) service.log.error({ err: cause ?? error, code, requestId, method: request.method, path: request.path }, message);
    onRefusal(error);
    return { status, text: JSON.stringify(envelope(error, requestId)), headers };
  };
  return {
    requestId,
    admit(op) {
      try {
        admit(service, request, caller as Caller, op);
        return undefined;
      } catch (thrown) {
        return refusal(thrown);
      }
    },
    async perform(op, parts, idempotencyKey) {
      try {
        const perform = performers.get(op.id);
        if (!perform) throw new Error(`${op.id} is the operation of no tool`);
        const call = incoming(request, op, parts, idempotencyKey);
        const mishap = service.faults.any ? await goWrongInside(service, request, op.method, call.path) : undefined;
        const { status, body } = await perform(call, caller as Caller);
        if (mishap?.drop === 'after') request.raw.req.socket.destroy();
        return { status, text: body, headers: {} };
      } catch (thrown) {
        return refusal(thrown);
      }
    },
  };
}

/** The request that the call of a tool stands for. */
function incoming(
  { app, info }: Request,
  op: Parameters<ToolCaller['perform']>[0],
  { params = {}, query = {}, body }: Parameters<ToolCaller['perform']>[1],
  idempotencyKey: string | undefined,
): Incoming {
  return {
    app,
    info,
    method: op.method.toLowerCase() as Incoming['method'],
    path: op.path.replaceAll(/\{(\w+)\}/gu, (_whole, name: string) => encodeURIComponent(params[name] ?? '')),
    params,
    // Numbers stay numbers, which spares their conversion; a query never decides about a repetition, because only reads have one here.
    query,
    headers: { 'content-type': 'application/json', ...(idempotencyKey === undefined ? {} : { [IDEMPOTENCY_KEY]: idempotencyKey }) },
    payload: body === undefined ? (null as never) : Buffer.from(JSON.stringify(body)),
  };
}

const ACCEPTED = /(?:^|[,\s])(?:application\/(?:json|\*)|\*\/\*)(?:$|[;,\s])/iu;

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
  if (body instanceof Uint8Array) return write(request, h, { status, body, noStore: true });
  // Of an empty text hapi would say that it is a page.
  const content = typeof body !== 'string' ? Readable.fromWeb(body as ReadableStream) : body === '' ? undefined : body;
  const response = h.response(content).code(status);
  for (const [name, value] of headers) if (name !== 'connection' && name !== 'content-length') response.header(name, value);
  return response.header('cache-control', 'no-store');
}
