import { join } from 'node:path';
import { Flags, type Interfaces } from '@oclif/core';
import { StockroomCommand } from '../../src/cli/command.ts';
import { usage } from '../../src/cli/failure.ts';
import { dataDirFlag, globalFlags, profileFlag, urlFlag } from '../../src/cli/flags.ts';
import { findTarget } from '../../src/client/target.ts';
import { MCP_PATH } from '../../src/contract/tools.ts';
import { CLIENT_NAMES, type Connection, clientOf, snippet } from '../../src/mcp/snippets.ts';

/** Decide where configuration and data are, and a program that is started from a desktop does not inherit them from this shell. */
const PLACES = ['XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_CACHE_HOME'] as const;

export default class McpConfig extends StockroomCommand {
  static override baseFlags: Interfaces.FlagInput = { ...globalFlags, profile: profileFlag, url: urlFlag, 'data-dir': dataDirFlag };
  static override summary = 'Print what gives an assistant the tools, to put into its settings';
  static override description = `Nothing is written to any file, and no key is printed: a server that the assistant starts takes the key from the profile, one that it calls gets a placeholder.`;
  static override flags = {
    client: Flags.option({ options: CLIENT_NAMES, default: 'claude-code', description: 'The program whose settings it is for.' })(),
    http: Flags.boolean({ description: 'For calling the running service at /mcp, rather than starting `stockroom mcp`.' }),
    'read-only': Flags.boolean({ description: 'Offer only the tools that change nothing.', exclusive: ['http'] }),
  };
  static override examples = [
    '<%= config.bin %> mcp config',
    '<%= config.bin %> mcp config --client cursor --read-only',
    '<%= config.bin %> mcp config --client vscode --http',
  ];

  async run(): Promise<void> {
    const { flags } = await this.parse(McpConfig);
    const { profile, url, 'data-dir': dataDir } = this.globals as { profile?: string; url?: string; 'data-dir'?: string };
    const target = findTarget({ profile, url, dataDir }, process.env, process.cwd());
    const { label, place } = clientOf(flags.client);
    const settings = snippet(
      flags.client,
      flags.http ? { url: new URL(MCP_PATH, target.url.value).href } : this.started(flags['read-only'], target),
    );
    if (!settings) throw usage(`${label} only starts tool servers of its own`, 'leave --http out');
    await this.out.write(`${JSON.stringify(settings, null, 2)}\n`);
    this.note(`for ${label}: ${place}`);
    if (!flags.http && target.key?.origin === 'STOCKROOM_API_KEY')
      this.note('the key in STOCKROOM_API_KEY is not part of it: save it with `stockroom profile add`, and name that profile here');
    else if (!flags.http && !target.key)
      this.note('there is no key for it yet: `stockroom profile add`, or start the daemon, which saves its first one');
  }

  /** Everything by full path and by name: the program that starts it has another working directory and another environment. */
  private started(readOnly: boolean, { profile, url, dataDir }: ReturnType<typeof findTarget>): Connection {
    const isFromHere = ({ origin }: { origin: string }): boolean =>
      origin.startsWith('--') || origin.startsWith('STOCKROOM_') || origin.endsWith('.stockroom.json');
    const flags = [
      ...(isFromHere(profile) && !isFromHere(dataDir) ? ['--profile', profile.value] : []),
      ...(isFromHere(url) ? ['--url', url.value] : []),
      ...(isFromHere(dataDir) ? ['--data-dir', dataDir.value] : []),
      ...(readOnly ? ['--read-only'] : []),
    ];
    const env = Object.fromEntries(PLACES.flatMap((name) => (process.env[name] ? [[name, process.env[name]] as const] : [])));
    const command = [process.execPath, join(this.config.root, 'bin', 'run.js'), 'mcp', ...flags];
    const [program = '', ...args] = command;
    return { command: program, args, ...(Object.keys(env).length > 0 ? { env } : {}) };
  }
}
