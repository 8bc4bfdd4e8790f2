/**
 * The SDK's side of streamable HTTP, without sessions: every POST has a server of its own. Requests of 2026-07-28 go to the SDK's
 * handler; older ones to its transport in the form that answers with JSON, because no tool sends anything before its result.
 */
import { WebStandardStreamableHTTPServerTransport, createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server';
import type { Caller } from './call.ts';
import type { EndpointReply, Exchange } from './endpoint.ts';
import { toolServer } from './server.ts';
import type { ToolSet } from './tool-set.ts';

/** What the SDK looks at beside the body. */
const READ_HEADERS = ['mcp-protocol-version', 'mcp-method', 'mcp-name'] as const;

export function sdkHttp(set: ToolSet): (exchange: Exchange) => Promise<EndpointReply> {
  const modern = createMcpHandler(({ authInfo }) => toolServer(set, authInfo?.extra?.['caller'] as Caller), { legacy: 'reject' });
  return async (exchange) => {
    const { body, caller } = exchange;
    const request = requestOf(exchange);
    if (await isLegacyRequest(request, body)) return legacy(set, request, exchange);
    // The key stays outside: the SDK carries the caller to the server and back and has no need of more.
    return replyOf(await modern.fetch(request, { parsedBody: body, authInfo: { token: '', clientId: '', scopes: [], extra: { caller } } }));
  };
}

async function legacy(set: ToolSet, request: Request, { body, caller }: Exchange): Promise<EndpointReply> {
  const server = toolServer(set, caller);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await replyOf(await transport.handleRequest(request, { parsedBody: body }));
  } finally {
    await server.close();
  }
}

function requestOf({ headers, signal }: Exchange): Request {
  // What the client accepts has been checked; the SDK would refuse `*/*`.
  const all = new Headers({ 'content-type': 'application/json', accept: 'application/json, text/event-stream' });
  for (const name of READ_HEADERS) if (headers[name] !== undefined) all.set(name, headers[name]);
  return new Request('http://localhost/mcp', { method: 'POST', headers: all, signal: signal() });
}

async function replyOf(response: Response): Promise<EndpointReply> {
  const { status, headers } = response;
  const streams = headers.get('content-type')?.startsWith('text/event-stream') === true;
  return { status, headers: [...headers], body: streams && response.body ? response.body : await response.text() };
}
