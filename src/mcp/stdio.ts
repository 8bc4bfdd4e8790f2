/** MCP over stdin and stdout, for clients that start the server themselves. A-7. */
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { ToolCaller } from './call-tool.ts';
import { createLineTransport } from './line-transport.ts';
import { createToolServer } from './tool-server.ts';
import type { ToolSet } from './tool-set.ts';

/** Serves one client until it closes its end. `onError` is called with errors that cannot be sent to the client. */
export function serveTools(set: ToolSet, caller: ToolCaller, onError: (error: Error) => void): Promise<void> {
  return new Promise((resolve) => {
    const transport = createLineTransport(process.stdin, process.stdout, resolve);
    serveStdio(() => createToolServer(set, caller), { transport, onerror: onError });
  });
}
