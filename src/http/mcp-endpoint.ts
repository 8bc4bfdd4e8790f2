/**
 * `/mcp`: MCP tools over streamable HTTP. A-7. This file handles HTTP with the steps of API requests: Host and Origin, credentials, size,
 * media type and JSON; `src/mcp` handles MCP. Each tool call is then counted, authorized and run like an API request, so it is rate limited
 * and audited exactly once.
 */
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { Request, ResponseObject, ResponseToolkit, Server } from '@hapi/hapi';
import { IDEMPOTENCY_KEY } from '../contract/headers.ts';
import { STOCK_TOOLS, TOOLSETS, type Toolset } from '../contract/mcp-stock-tools.ts';
import { MCP_PATH, TOOLS } from '../contract/mcp-tools.ts';
import type { Operation } from '../contract/operation.ts';
import { toStrictTool } from '../contract/strict.ts';
import { StockroomError, invalidField } from '../domain/kernel/errors.ts';
import type { OperationReply, ToolCaller } from '../mcp/call-tool.ts';
import type { HandleMcpRequest, McpReply } from '../mcp/sdk-http.ts';
import { logServerError } from './base-server.ts';
import { onClose } from './on-close.ts';
import { authenticate } from './steps/authenticate.ts';
import { authorize } from './steps/authorize.ts';
import { countRequest } from './steps/count-request.ts';
import { parseJsonBody } from './steps/json-body.ts';
import { toErrorEnvelope, toStockroomError } from './response/error-envelope.ts';
import { countByAddress } from './steps/limit-address.ts';
import { injectToolCallFault } from './steps/inject-fault.ts';
import type { OperationRequest } from './steps/operation-request.ts';
import { type RunOperation, createOperationRunner } from './steps/run-operation.ts';
import { drainBody, receiveBody } from './steps/receive-body.ts';
import { readQuery } from './steps/validate-request.ts';
import type { Service } from './service.ts';

export function addMcpRoute(server: Server, service: Service): void {
  const tools = service.isStrict ? TOOLS.map(toStrictTool) : ALL_TOOLS;
  const runners = new Map(tools.map(({ operation: op }): [string, RunOperation] => [op.id, createOperationRunner(service, op)]));
  /** Loaded with the first request, because most daemons get none. */
  let endpoint: Promise<HandleMcpRequest> | undefined;
  const controllers = new Set<AbortController>();
  server.ext('onPreStop', () => {
    for (const controller of controllers) controller.abort();
  });
  server.route({
    method: 'POST',
    path: MCP_PATH,
    options: {
      ext: {
        onPreAuth: {
          method: async (request, h) => {
            try {
              await authenticate(request, service, MCP_PATH);
              return h.continue;
            } catch (error) {
              await drainBody(service, request);
              throw error;
            }
          },
        },
      },
    },
    handler: async (request, h) => {
      await receiveBody(service, request);
      checkAccept(request);
      const query = readQuery(request);
      const body = parseJsonBody(request);
      for (const message of Array.isArray(body) ? (body as unknown[]) : [body]) if (!isToolCall(message)) countByAddress(request, service);
      let challenge: StockroomError | undefined;
      const caller = createToolCaller(service, request, runners, (error) => {
        if (error.headers?.['www-authenticate'] !== undefined) challenge = error;
      });
      const headers = request.headers as Readonly<Record<string, string | undefined>>;
      endpoint ??= import('../mcp/sdk-http.ts').then(({ createMcpEndpoint }) => createMcpEndpoint(service.version, service.isStrict));
      const handleMcpRequest = await endpoint;
      const reply = await handleMcpRequest({
        headers,
        body,
        caller,
        toolset: service.isStrict ? undefined : readToolset(query),
        signal: createAbortSignal(request, controllers),
      });
      // The client's HTTP layer can answer a challenge by requesting more scopes. Not in a batch, in which other calls have succeeded.
      if (challenge && !Array.isArray(body)) throw challenge;
      return toResponse(h, reply);
    },
  });
}

const ALL_TOOLS = [...TOOLS, ...STOCK_TOOLS];
const TOOL_NAMES: ReadonlySet<unknown> = new Set(ALL_TOOLS.map(({ name }) => name));

/** Tool calls count against the rate limit of the key, all other messages by address. */
function isToolCall(message: unknown): boolean {
  const { method, params } = (message ?? {}) as { readonly method?: unknown; readonly params?: { readonly name?: unknown } };
  return method === 'tools/call' && TOOL_NAMES.has(params?.name);
}

/** `?toolset=stock` */
function readToolset(query: URLSearchParams): Toolset | undefined {
  const wanted = query.get('toolset');
  if (wanted === null) return undefined;
  const toolset = TOOLSETS.find((name) => name === wanted);
  if (toolset === undefined) throw invalidField('/toolset', `toolset must be one of ${TOOLSETS.join(', ')}`, 'not_allowed', 'query');
  return toolset;
}

/** Aborts when the client disconnects or the server stops. */
function createAbortSignal(request: Request, controllers: Set<AbortController>): AbortSignal {
  const controller = new AbortController();
  controllers.add(controller);
  onClose(request.raw.res, () => {
    controllers.delete(controller);
    controller.abort();
  });
  return controller.signal;
}

/** Runs operations with the key of an MCP request. `onError` is called with every error that becomes a reply. */
function createToolCaller(
  service: Service,
  request: Request,
  runners: ReadonlyMap<string, RunOperation>,
  onError: (error: StockroomError) => void,
): ToolCaller {
  const { requestId } = request.app;
  const caller = request.app.caller!;
  const toErrorReply = (thrown: unknown): OperationReply => {
    const error = toStockroomError(thrown);
    logServerError(service, request, error);
    onError(error);
    const { status, headers = {} } = error;
    return { status, text: JSON.stringify(toErrorEnvelope(error, requestId)), headers };
  };
  return {
    requestId,
    // Equal on all daemons. The model, which must not forge tokens, never sees the key.
    previewSecret: caller.key.hash,
    async admit(op) {
      try {
        await countRequest(request, caller, op, service);
        authorize(request, caller, op);
        return undefined;
      } catch (thrown) {
        return toErrorReply(thrown);
      }
    },
    async runOperation(op, input, idempotencyKey) {
      try {
        const runOperation = runners.get(op.id);
        if (!runOperation) throw new Error(`no tool has the operation ${op.id}`);
        const operationRequest = toOperationRequest(request, op, input, idempotencyKey);
        const fault = await injectToolCallFault(service, request, op.method, operationRequest.path);
        const { status, body } = await runOperation(operationRequest, caller);
        if (fault?.drop === 'after') request.raw.req.socket.destroy();
        return { status, text: body, headers: {} };
      } catch (thrown) {
        return toErrorReply(thrown);
      }
    },
  };
}

/** The API request that a tool call is equivalent to. */
function toOperationRequest(
  { app, info }: Request,
  op: Operation,
  { params = {}, query = {}, body }: Parameters<ToolCaller['runOperation']>[1],
  idempotencyKey: string | undefined,
): OperationRequest {
  return {
    app,
    info,
    method: op.method.toLowerCase() as OperationRequest['method'],
    path: op.path.replaceAll(/\{(\w+)\}/gu, (_whole, name: string) => encodeURIComponent(params[name] ?? '')),
    params,
    // Numbers need no conversion. They do not reach the fingerprint of an idempotent write: only reads have a query here.
    query,
    headers: { 'content-type': 'application/json', ...(idempotencyKey === undefined ? {} : { [IDEMPOTENCY_KEY]: idempotencyKey }) },
    payload: body === undefined ? (null as never) : Buffer.from(JSON.stringify(body)),
  };
}

const ACCEPTED = /(?:^|[,\s])(?:application\/(?:json|\*)|\*\/\*)(?:$|[;,\s])/iu;

function checkAccept({ headers }: Request): void {
  const accept = headers['accept'] as string | undefined;
  if (accept !== undefined && !ACCEPTED.test(accept)) {
    throw new StockroomError('NOT_ACCEPTABLE', 'Responses are JSON. Send Accept: application/json, text/event-stream.');
  }
}

function toResponse(h: ResponseToolkit, { status, headers, body }: McpReply): ResponseObject {
  // hapi would give an empty string the type text/html.
  const content = typeof body !== 'string' ? Readable.fromWeb(body as ReadableStream) : body === '' ? undefined : body;
  const response = h.response(content).code(status);
  for (const [name, value] of headers) if (name !== 'connection' && name !== 'content-length') response.header(name, value);
  // No cache may store it: a reply may contain a secret that is shown once.
  return response.header('cache-control', 'no-store');
}
