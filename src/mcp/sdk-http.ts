/**
 * Streamable HTTP with the SDK, without sessions: every POST gets its own server. Requests of protocol version 2026-07-28 go to the handler of
 * the SDK; older ones to its transport, in JSON mode, because no tool sends anything before its result.
 */
import { WebStandardStreamableHTTPServerTransport, createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server';
import { TOOLSETS, type Toolset } from '../contract/mcp-stock-tools.ts';
import type { ToolCaller } from './call-tool.ts';
import { createToolServer } from './tool-server.ts';
import { type ToolSet, createToolSet } from './tool-set.ts';

/** A POST to `/mcp`. Its key, Host, Origin, size and media type have been checked. */
export interface McpRequest {
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The parsed JSON. */
  readonly body: unknown;
  readonly caller: ToolCaller;
  readonly toolset: Toolset | undefined;
  /** Aborts when the client disconnects or the server stops. */
  readonly signal: AbortSignal;
}

export interface McpReply {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** JSON, or a stream for what continues after the reply, such as a subscription. */
  readonly body: string | ReadableStream<Uint8Array>;
}

export type HandleMcpRequest = (request: McpRequest) => Promise<McpReply>;

/** The headers that the SDK reads. */
const SDK_HEADERS = ['mcp-protocol-version', 'mcp-method', 'mcp-name'] as const;

/** `version` is that of stockroom. `isStrict`: the tools of the given contract only. */
export function createMcpEndpoint(version: string, isStrict: boolean): HandleMcpRequest {
  const sets = new Map([undefined, ...TOOLSETS].map((toolset) => [toolset, createToolSet(version, { toolset, isStrict })]));
  const modern = createMcpHandler(
    ({ authInfo }) => {
      const { caller, set } = authInfo!.extra as { caller: ToolCaller; set: ToolSet };
      return createToolServer(set, caller);
    },
    { legacy: 'reject' },
  );
  return async (mcpRequest) => {
    const { body, caller, toolset } = mcpRequest;
    const set = sets.get(toolset)!;
    const request = toWebRequest(mcpRequest);
    if (await isLegacyRequest(request, body)) return handleLegacyRequest(set, request, mcpRequest);
    // The SDK passes the caller on to `createToolServer`. It needs no key.
    return toMcpReply(
      await modern.fetch(request, { parsedBody: body, authInfo: { token: '', clientId: '', scopes: [], extra: { caller, set } } }),
    );
  };
}

async function handleLegacyRequest(set: ToolSet, request: Request, { body, caller }: McpRequest): Promise<McpReply> {
  const server = createToolServer(set, caller);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await toMcpReply(await transport.handleRequest(request, { parsedBody: body }));
  } finally {
    await server.close();
  }
}

function toWebRequest({ headers, signal }: McpRequest): Request {
  // The Accept header of the client has been checked; the SDK would reject `*/*`.
  const sdkHeaders = new Headers({ 'content-type': 'application/json', accept: 'application/json, text/event-stream' });
  for (const name of SDK_HEADERS) if (headers[name] !== undefined) sdkHeaders.set(name, headers[name]);
  return new Request('http://localhost/mcp', { method: 'POST', headers: sdkHeaders, signal });
}

async function toMcpReply(response: Response): Promise<McpReply> {
  const { status, headers } = response;
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
  return { status, headers: [...headers], body: isStream && response.body ? response.body : await response.text() };
}
