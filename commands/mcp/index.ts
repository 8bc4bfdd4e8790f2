import { Flags, type Interfaces } from '@oclif/core';
import { ApiCommand } from '../../src/cli/base-commands/api-command.ts';
import { formatDataDirFlag } from '../../src/cli/errors/hints.ts';
import { createRemoteCaller } from '../../src/mcp/remote-caller.ts';
import { createToolSet } from '../../src/mcp/tool-set.ts';

// No --max-wait: a rate-limited call fails, and the client decides whether to wait.
const { 'max-wait': _never, ...baseFlags } = ApiCommand.baseFlags;

export default class Mcp extends ApiCommand {
  static override baseFlags: Interfaces.FlagInput = baseFlags;
  static override summary = 'Run the MCP server over stdio';
  static override description =
    'For MCP clients that start servers themselves; `stockroom mcp config` prints their configuration. Each tool call is an API request with your key; for clients that use HTTP, the daemon serves the same tools at /mcp.';
  static override flags = {
    'read-only': Flags.boolean({ description: 'Offer only read-only tools.' }),
  };
  static override examples = ['<%= config.bin %> mcp', '<%= config.bin %> mcp --read-only --profile shop'];

  async run(): Promise<void> {
    const { flags } = await this.parse(Mcp);
    // Invalid flags and profiles fail immediately; a missing daemon may be started later.
    await this.resolveConnection().catch((error: unknown) => {
      if (!isUnreachable(error)) throw error;
      this.printNote(
        `${error.message}; calls fail until it is started: stockroom daemon start${formatDataDirFlag(this.getHintContext().dataDir)}`,
      );
    });
    if (process.stdin.isTTY) {
      this.printNote('Waiting for an MCP client on stdin; press Ctrl-D to exit.');
      this.printNote('`stockroom mcp config` prints the configuration of MCP clients.');
    }
    const { serveTools } = await import('../../src/mcp/stdio.ts');
    const caller = createRemoteCaller(
      async () => {
        const { url, ...reach } = await this.resolveConnection();
        return { ...reach, ...this.getTraceOptions(url.replace(/\/$/u, '')) };
      },
      () => {
        const { isLocal, dataDir } = this.getHintContext();
        return isLocal
          ? `Start the daemon with \`stockroom daemon start${formatDataDirFlag(dataDir)}\``
          : 'Check the URL and that the service is running';
      },
    );
    const set = createToolSet(this.config.version, { readOnly: flags['read-only'] });
    await serveTools(set, caller, (error) => {
      if (this.globals.verbose === true) this.printNote(error.message);
    });
  }
}

const isUnreachable = (error: unknown): error is Error => error instanceof Error && error.name === 'Unreachable';
