import { defineCommand } from '../../src/cli/command/define-command.ts';
import { formatDataDirFlag } from '../../src/cli/errors/hints.ts';
import { toolsetFlag } from '../../src/cli/input/toolset-flag.ts';
import type { Output } from '../../src/cli/command-output.ts';
import { type ApiFlags, apiAccess } from '../../src/cli/session/api-session.ts';
import { createTraceOptions } from '../../src/cli/session/session.ts';
import { createRemoteCaller } from '../../src/mcp/remote-caller.ts';
import { createToolSet } from '../../src/mcp/tool-set.ts';
import { Flags } from '@oclif/core';

// No --max-wait: a rate-limited call fails, and the client decides whether to wait.
const { 'max-wait': _never, ...accessFlags } = apiAccess.flags;
const access = {
  flags: accessFlags,
  open: (given: Omit<ApiFlags, 'max-wait'>, output: Output) => apiAccess.open({ ...given, 'max-wait': 0 }, output),
};

export default defineCommand({
  access,
  summary: 'Run the MCP server over stdio',
  description:
    'For MCP clients that start servers themselves; `stockroom mcp config` prints their configuration. Each tool call is an API request with your key; for clients that use HTTP, the daemon serves the same tools at /mcp.',
  flags: {
    'read-only': Flags.boolean({ description: 'Offer only read-only tools.' }),
    toolset: toolsetFlag,
  },
  examples: ['mcp', 'mcp --read-only --profile shop', 'mcp --toolset stock'],
  async run({ flags, output, session, config }) {
    // Invalid flags and profiles fail immediately; a missing daemon may be started later.
    await session.resolveConnection().catch((error: unknown) => {
      if (!isUnreachable(error)) throw error;
      output.printNote(
        `${error.message}; calls fail until it is started: stockroom daemon start${formatDataDirFlag(session.getHintContext().dataDir)}`,
      );
    });
    if (process.stdin.isTTY) {
      output.printNote('Waiting for an MCP client on stdin; press Ctrl-D to exit.');
      output.printNote('`stockroom mcp config` prints the configuration of MCP clients.');
    }
    const { serveTools } = await import('../../src/mcp/stdio.ts');
    const caller = createRemoteCaller(
      async () => {
        const { url, ...reach } = await session.resolveConnection();
        return { ...reach, ...createTraceOptions(output, url) };
      },
      () => {
        const { isLocal, dataDir } = session.getHintContext();
        return isLocal
          ? `Start the daemon with \`stockroom daemon start${formatDataDirFlag(dataDir)}\``
          : 'Check the URL and that the service is running';
      },
    );
    const set = createToolSet(config.version, { readOnly: flags['read-only'], toolset: flags.toolset });
    await serveTools(set, caller, (error) => {
      if (output.isVerbose) output.printNote(error.message);
    });
  },
});

const isUnreachable = (error: unknown): error is Error => error instanceof Error && error.name === 'Unreachable';
