import { defineCommand } from '../../src/cli/command/define-command.ts';
import { usageError } from '../../src/cli/errors/failure.ts';
import { toolsetFlag } from '../../src/cli/input/toolset-flag.ts';
import { dataDirFlag, profileFlag, urlFlag } from '../../src/cli/input/common-flags.ts';
import type { Target } from '../../src/client/settings/target.ts';
import { resolveFlags } from '../../src/cli/session/session.ts';
import { MCP_PATH } from '../../src/contract/mcp-tools.ts';
import { buildClientConfig, CLIENT_NAMES, getClient, type ServerConnection } from '../../src/mcp/client-config.ts';
import { Flags } from '@oclif/core';
import { join } from 'node:path';

/** They determine the location of configuration and data. Programs started from a desktop do not inherit them from this shell. */
const DIRECTORY_VARIABLES = ['XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_CACHE_HOME'] as const;

export default defineCommand({
  access: { flags: { profile: profileFlag, url: urlFlag, 'data-dir': dataDirFlag }, open: () => undefined },
  summary: 'Print MCP client configuration',
  description:
    'Writes no files and prints no key: a server started by the client uses the key of the profile; with --http the key is a placeholder.',
  flags: {
    client: Flags.option({ options: CLIENT_NAMES, default: 'claude-code', description: 'MCP client to configure.' })(),
    http: Flags.boolean({ description: 'Connect to the running service at /mcp instead of starting `stockroom mcp`.' }),
    'read-only': Flags.boolean({ description: 'Offer only read-only tools.', exclusive: ['http'] }),
    toolset: toolsetFlag,
  },
  examples: ['mcp config', 'mcp config --client cursor --read-only', 'mcp config --client vscode --http'],
  async run({ flags, output, config }) {
    const target = resolveFlags(flags);
    const { label, location: place } = getClient(flags.client);
    const settings = buildClientConfig(
      flags.client,
      flags.http ? { url: toHttpUrl(target.url.value, flags.toolset) } : buildStdioConnection(config.root, flags, target),
    );
    if (!settings) throw usageError(`${label} does not support --http`, 'Omit --http');
    await output.write(`${JSON.stringify(settings, null, 2)}\n`);
    output.printNote(`For ${label}: ${place}`);
    if (!flags.http && (target.key?.origin === 'STOCKROOM_API_KEY' || target.withheldKey?.source === 'variable'))
      output.printNote(
        'The configuration does not include the key in STOCKROOM_API_KEY. Save it with `stockroom profile add` and pass that --profile',
      );
    else if (!flags.http && !target.key)
      output.printNote('No key is saved yet. Add one with `stockroom profile add`, or start the daemon, which saves its first key');
  },
});

const toHttpUrl = (base: string, toolset: string | undefined): string =>
  new URL(toolset === undefined ? MCP_PATH : `${MCP_PATH}?toolset=${toolset}`, base).href;

/** Uses absolute paths and explicit flags, because the client has a different working directory and environment. */
function buildStdioConnection(
  root: string,
  { 'read-only': readOnly, toolset }: { readonly 'read-only': boolean; readonly toolset: string | undefined },
  { profile, url, dataDir }: Target,
): ServerConnection {
  const isExplicit = ({ origin }: { origin: string }): boolean =>
    origin.startsWith('--') || origin.startsWith('STOCKROOM_') || origin.endsWith('.stockroom.json');
  const flags = [
    ...(isExplicit(profile) && !isExplicit(dataDir) ? ['--profile', profile.value] : []),
    ...(isExplicit(url) ? ['--url', url.value] : []),
    ...(isExplicit(dataDir) ? ['--data-dir', dataDir.value] : []),
    ...(readOnly ? ['--read-only'] : []),
    ...(toolset === undefined ? [] : ['--toolset', toolset]),
  ];
  const env = Object.fromEntries(DIRECTORY_VARIABLES.flatMap((name) => (process.env[name] ? [[name, process.env[name]] as const] : [])));
  // A single executable contains the whole program.
  const script = process.getBuiltinModule('node:sea').isSea() ? [] : [join(root, 'bin', 'run.js')];
  const command = [process.execPath, ...script, 'mcp', ...flags];
  const [program = '', ...args] = command;
  return { command: program, args, ...(Object.keys(env).length > 0 ? { env } : {}) };
}
