/** The MCP server of the official SDK, which supports all protocol versions. */
import { type CallToolResult, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import { PAGE_SIZE_MAX } from '../contract/limits.ts';
import { type ToolCaller, type ToolResult, callTool } from './call-tool.ts';
import { toListedTool } from './tool-list.ts';
import type { ToolSet } from './tool-set.ts';

/** How long clients may cache the list of tools, which changes only with the version of the service. */
const LIST_TTL_MS = 300_000;
const CACHE_HINT = { ttlMs: LIST_TTL_MS, cacheScope: 'private' } as const;
const NAME_MAX_CHARS = 100;

const INSTRUCTIONS = `Inventory and orders of one organization. Lists are paginated: use page and page_size, at most ${String(PAGE_SIZE_MAX)} rows per page. Errors are JSON with error.code; after RATE_LIMITED, wait for the given time. Ask the user before calling a tool that requires a confirmation.`;

/** Creates a server for one request or connection. */
export function createToolServer({ tools, version }: ToolSet, caller: ToolCaller): Server {
  const server = new Server(
    { name: 'stockroom', title: 'Stockroom', version },
    {
      capabilities: { tools: {} },
      instructions: INSTRUCTIONS,
      cacheHints: { 'tools/list': CACHE_HINT, 'server/discover': CACHE_HINT },
    },
  );
  server.setRequestHandler('tools/list', () => ({ tools: tools.map(toListedTool) }));
  server.setRequestHandler('tools/call', async ({ params }) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool ${params.name.slice(0, NAME_MAX_CHARS)}.`);
    return toCallToolResult(await callTool(tool, params.arguments ?? {}, caller));
  });
  return server;
}

function toCallToolResult({ texts, isData, isError, previewToken }: ToolResult): CallToolResult {
  const content = texts.map((text) => ({ type: 'text' as const, text }));
  if (isError) return { content, isError };
  if (!isData) return { content };
  const body = JSON.parse(texts[0] ?? '') as Record<string, unknown>;
  // Some clients show the model nothing but this.
  return { content, structuredContent: previewToken === undefined ? body : { ...body, preview_token: previewToken } };
}
