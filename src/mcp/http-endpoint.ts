/** MCP over streamable HTTP: one POST, one reply. What the fast path cannot handle goes to the SDK, which is loaded when first needed. */
import type { ToolCaller } from './call-tool.ts';
import { tryFastPath } from './fast-path.ts';
import { createToolSet } from './tool-set.ts';

/** A POST to `/mcp`. Its key, Host, Origin, size and media type have been checked. */
export interface McpRequest {
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The parsed JSON. */
  readonly body: unknown;
  readonly caller: ToolCaller;
  /** Creates a signal that aborts when the client disconnects or the server stops. */
  readonly createSignal: () => AbortSignal;
}

export interface McpReply {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** JSON, or a stream for what continues after the reply, such as a subscription. */
  readonly body: string | Uint8Array | ReadableStream<Uint8Array>;
}

export type HandleMcpRequest = (request: McpRequest) => Promise<McpReply>;

export function createMcpEndpoint(version: string): HandleMcpRequest {
  const set = createToolSet(version);
  let sdk: Promise<HandleMcpRequest> | undefined;
  return async (request) => {
    const body = await tryFastPath(set, request);
    if (body) return { status: 200, headers: [], body };
    sdk ??= import('./sdk-http.ts').then(({ createSdkHandler }) => createSdkHandler(set));
    return (await sdk)(request);
  };
}
