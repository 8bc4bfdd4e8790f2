/** The tools over stdin and stdout, for clients that start a program of their own. decisions-api §7. */
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Caller } from './call.ts';
import { lineTransport } from './lines.ts';
import { toolServer } from './server.ts';
import type { ToolSet } from './tool-set.ts';

/** Serves one client until it closes its end; `onProblem` hears of what cannot be told to it. */
export function serveTools(set: ToolSet, caller: Caller, onProblem: (error: Error) => void): Promise<void> {
  return new Promise((resolve) => {
    const transport = lineTransport(process.stdin, process.stdout, resolve);
    serveStdio(() => toolServer(set, caller), { transport, onerror: onProblem });
  });
}
