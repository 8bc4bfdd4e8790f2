/** The official MCP client, connected to `/mcp`. */
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { API_KEY } from '../../../src/contract/headers.ts';
import { MCP_PATH } from '../../../src/contract/mcp-tools.ts';

/** Protocol versions with and without `initialize`. */
export const PROTOCOL_VERSIONS = ['2025-11-25', '2026-07-28'] as const;
export type ProtocolVersion = (typeof PROTOCOL_VERSIONS)[number];

export interface ToolClient extends AsyncDisposable {
  readonly client: Client;
  /** Calls a tool. */
  call(name: string, args?: Record<string, unknown>): Promise<ToolCallResult>;
}

export interface ToolCallResult {
  readonly isError: boolean;
  readonly texts: readonly string[];
  // Tests read bodies of every shape; their assertions check the types.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data: any;
  /** The code of an error result. */
  readonly code: string | undefined;
}

export const connectOverHttp = (url: string, key: string, version: ProtocolVersion, query = ''): Promise<ToolClient> =>
  connectClient(
    new StreamableHTTPClientTransport(new URL(MCP_PATH + query, url), { requestInit: { headers: { [API_KEY]: key } } }),
    version,
  );

export async function connectClient(transport: Transport, version: ProtocolVersion): Promise<ToolClient> {
  const mode = version === '2026-07-28' ? { pin: version } : 'legacy';
  const client = new Client({ name: 'stockroom-test', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(transport);
  return {
    client,
    async call(name, args = {}) {
      const { content, structuredContent, isError = false } = await client.callTool({ name, arguments: args });
      const texts = content.map((block) => (block.type === 'text' ? block.text : `a ${block.type}`));
      const code = isError ? (JSON.parse(texts[0] ?? '') as { error: { code: string } }).error.code : undefined;
      return { isError, texts, data: structuredContent, code };
    },
    async [Symbol.asyncDispose]() {
      await client.close();
    },
  };
}
