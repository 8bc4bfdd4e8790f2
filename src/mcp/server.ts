/** The tools behind the official SDK, which knows the protocol in both of its eras. */
import { type CallToolResult, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import { PAGE_SIZE_MAX } from '../contract/limits.ts';
import { type Caller, type Outcome, callTool } from './call.ts';
import { listed } from './listing.ts';
import { type ToolSet, serverInfo, toolNamed } from './tool-set.ts';

/** Clients may keep the list for so long; it changes only with the version of the service. */
const LIST_TTL_MS = 300_000;
const KEEP = { ttlMs: LIST_TTL_MS, cacheScope: 'private' } as const;
const NAME_SHOWN_CHARS = 100;

const INSTRUCTIONS = `Inventory and orders of one organization. Lists are paged: ask with page and page_size, at most ${String(PAGE_SIZE_MAX)} rows a page. A refusal is JSON with error.code; after RATE_LIMITED wait as long as it says. Ask the person before a tool that needs a confirmation.`;

/** A server for one exchange or one connection. */
export function toolServer(set: ToolSet, caller: Caller): Server {
  const server = new Server(serverInfo(set), {
    capabilities: { tools: {} },
    instructions: INSTRUCTIONS,
    cacheHints: { 'tools/list': KEEP, 'server/discover': KEEP },
  });
  server.setRequestHandler('tools/list', () => ({ tools: set.tools.map(listed) }));
  server.setRequestHandler('tools/call', async ({ params }) => {
    const tool = toolNamed(set, params.name);
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${params.name.slice(0, NAME_SHOWN_CHARS)}.`);
    return resultOf(await callTool(tool, params.arguments ?? {}, caller));
  });
  return server;
}

function resultOf({ texts, isData, isError }: Outcome): CallToolResult {
  const content = texts.map((text) => ({ type: 'text' as const, text }));
  if (isError) return { content, isError };
  return isData ? { content, structuredContent: JSON.parse(texts[0] ?? '') as Record<string, unknown> } : { content };
}
