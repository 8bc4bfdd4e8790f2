import { join } from 'node:path';
import { Flags, type Interfaces } from '@oclif/core';
import { StockroomCommand } from '../../src/cli/base-commands/stockroom-command.ts';
import { usageError } from '../../src/cli/errors/failure.ts';
import { dataDirFlag, globalFlags, profileFlag, urlFlag } from '../../src/cli/input/common-flags.ts';
import { resolveTarget } from '../../src/client/target.ts';
import { MCP_PATH } from '../../src/contract/mcp-tools.ts';
import { CLIENT_NAMES, type ServerConnection, getClient, buildClientConfig } from '../../src/mcp/client-config.ts';

/** They determine the location of configuration and data. Programs started from a desktop do not inherit them from this shell. */
const DIRECTORY_VARIABLES = ['XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_CACHE_HOME'] as const;

export default class McpConfig extends StockroomCommand {
  static override baseFlags: Interfaces.FlagInput = { ...globalFlags, profile: profileFlag, url: urlFlag, 'data-dir': dataDirFlag };
  static override summary = 'Print MCP client configuration';
  static override description =
    'Writes no files and prints no key: a server started by the client uses the key of the profile; with --http the key is a placeholder.';
  static override flags = {
    client: Flags.option({ options: CLIENT_NAMES, default: 'claude-code', description: 'MCP client to configure.' })(),
    http: Flags.boolean({ description: 'Connect to the running service at /mcp instead of starting `stockroom mcp`.' }),
    'read-only': Flags.boolean({ description: 'Offer only read-only tools.', exclusive: ['http'] }),
  };
  static override examples = [
    '<%= config.bin %> mcp config',
    '<%= config.bin %> mcp config --client cursor --read-only',
    '<%= config.bin %> mcp config --client vscode --http',
  ];

  async run(): Promise<void> {
    const { flags } = await this.parse(McpConfig);
    const { profile, url, 'data-dir': dataDir } = this.globals as { profile?: string; url?: string; 'data-dir'?: string };
    const target = resolveTarget({ profile, url, dataDir }, process.env, process.cwd());
    const { label, location: place } = getClient(flags.client);
    const settings = buildClientConfig(
      flags.client,
      flags.http ? { url: new URL(MCP_PATH, target.url.value).href } : this.buildStdioConnection(flags['read-only'], target),
    );
    if (!settings) throw usageError(`${label} does not support --http`, 'Omit --http');
    await this.out.write(`${JSON.stringify(settings, null, 2)}\n`);
    this.printNote(`For ${label}: ${place}`);
    if (!flags.http && (target.key?.origin === 'STOCKROOM_API_KEY' || target.withheldKey?.source === 'variable'))
      this.printNote(
        'The configuration does not include the key in STOCKROOM_API_KEY. Save it with `stockroom profile add` and pass that --profile',
      );
    else if (!flags.http && !target.key)
      this.printNote('No key is saved yet. Add one with `stockroom profile add`, or start the daemon, which saves its first key');
  }

  /** Uses absolute paths and explicit flags, because the client has a different working directory and environment. */
  private buildStdioConnection(readOnly: boolean, { profile, url, dataDir }: ReturnType<typeof resolveTarget>): ServerConnection {
    const isExplicit = ({ origin }: { origin: string }): boolean =>
      origin.startsWith('--') || origin.startsWith('STOCKROOM_') || origin.endsWith('.stockroom.json');
    const flags = [
      ...(isExplicit(profile) && !isExplicit(dataDir) ? ['--profile', profile.value] : []),
      ...(isExplicit(url) ? ['--url', url.value] : []),
      ...(isExplicit(dataDir) ? ['--data-dir', dataDir.value] : []),
      ...(readOnly ? ['--read-only'] : []),
    ];
    const env = Object.fromEntries(DIRECTORY_VARIABLES.flatMap((name) => (process.env[name] ? [[name, process.env[name]] as const] : [])));
    const command = [process.execPath, join(this.config.root, 'bin', 'run.js'), 'mcp', ...flags];
    const [program = '', ...args] = command;
    return { command: program, args, ...(Object.keys(env).length > 0 ? { env } : {}) };
  }
}
