import { Flags, type Interfaces } from '@oclif/core';
import { ApiCommand } from '../../src/cli/api-command.ts';
import { dataDirWords } from '../../src/cli/failure.ts';
import { remoteCaller } from '../../src/mcp/remote.ts';
import { toolSet } from '../../src/mcp/tool-set.ts';

// A call that is refused for now is told so: whether to wait is for the one who asked.
const { 'max-wait': _never, ...baseFlags } = ApiCommand.baseFlags;

export default class Mcp extends ApiCommand {
  static override baseFlags: Interfaces.FlagInput = baseFlags;
  static override summary = 'Serve the tools for an assistant over stdin and stdout (MCP)';
  static override description = `For programs that start their tool servers themselves; \`stockroom mcp config\` prints what to put into theirs. Every call of a tool is one request to the service with your key, so scopes, plan, rate limit and audit hold as for any other; nothing is kept here.
The daemon serves the same tools at /mcp for clients that speak HTTP.`;
  static override flags = {
    'read-only': Flags.boolean({ description: 'Offer only the tools that change nothing.' }),
  };
  static override examples = ['<%= config.bin %> mcp', '<%= config.bin %> mcp --read-only --profile shop'];

  async run(): Promise<void> {
    const { flags } = await this.parse(Mcp);
    // What is wrong with flags and profile is said at once; a daemon that is not there may still come.
    await this.reach().catch((error: unknown) => {
      if (!isUnreachable(error)) throw error;
      this.note(`${error.message}; calls will fail until it is started: stockroom daemon start${dataDirWords(this.setting().dataDir)}`);
    });
    if (process.stdin.isTTY) {
      this.note('This waits for a program that speaks MCP; Ctrl-D ends it.');
      this.note('`stockroom mcp config` prints how such a program starts it.');
    }
    const { serveTools } = await import('../../src/mcp/stdio.ts');
    const caller = remoteCaller(
      async () => {
        const { url, ...reach } = await this.reach();
        return { ...reach, ...this.tracer(url.replace(/\/$/u, '')) };
      },
      () => {
        const { local, dataDir } = this.setting();
        return local
          ? `start the daemon with \`stockroom daemon start${dataDirWords(dataDir)}\``
          : 'check the address and whether the service runs';
      },
    );
    const set = toolSet(this.config.version, { readOnly: flags['read-only'] });
    await serveTools(set, caller, (error) => {
      if (this.globals.verbose === true) this.note(error.message);
    });
  }
}

const isUnreachable = (error: unknown): error is Error => error instanceof Error && error.name === 'Unreachable';
