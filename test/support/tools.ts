/** The official MCP client, connected to the tools over HTTP. */
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { API_KEY } from '../../src/contract/headers.ts';
import { MCP_PATH } from '../../src/contract/tools.ts';

/** How a client speaks: the one with `initialize`, or the one without. */
export const ERAS = ['2025-11-25', '2026-07-28'] as const;
export type Era = (typeof ERAS)[number];

export interface ToolClient extends AsyncDisposable {
  readonly client: Client;
  /** The texts of a result, and its data. */
  call(name: string, args?: Record<string, unknown>): Promise<Told>;
}

export interface Told {
  readonly isError: boolean;
  readonly texts: readonly string[];
  // Tests look into bodies of every shape; the assertions are the types.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data: any;
  /** The code of a refusal. */
  readonly code: string | undefined;
}

export const toolsOverHttp = (url: string, key: string, era: Era): Promise<ToolClient> =>
  connectTools(new StreamableHTTPClientTransport(new URL(MCP_PATH, url), { requestInit: { headers: { [API_KEY]: key } } }), era);

export async function connectTools(transport: Transport, era: Era): Promise<ToolClient> {
  const mode = era === '2026-07-28' ? { pin: era } : 'legacy';
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
