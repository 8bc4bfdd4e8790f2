import { Flags, type Interfaces } from '@oclif/core';
import { DaemonCommand } from '../src/cli/base-commands/daemon-command.ts';
import { usageError } from '../src/cli/errors/failure.ts';
import { quoteForShell } from '../src/cli/errors/hints.ts';
import { globalFlags } from '../src/cli/input/common-flags.ts';
import { parseTier, resolveConfig } from '../src/daemon/config.ts';
import { runCommandWithDaemon } from '../src/daemon/lifecycle/exec.ts';
import { integerFlag } from '../src/cli/input/integer-flag.ts';

export default class Exec extends DaemonCommand {
  static override summary = 'Run a command against a temporary service';
  static override description = `Sets STOCKROOM_URL, STOCKROOM_API_KEY and STOCKROOM_DATA_DIR for the command; the service starts with an empty tenant and is deleted afterwards. Forwards signals and exits with the command's exit code, or 128 plus the number of the signal that ended it.`;
  /** `run` reports a missing command. */
  static override strict = false;
  static override usage = 'exec [FLAGS] -- COMMAND [ARGUMENTS]';
  static override baseFlags: Interfaces.FlagInput = globalFlags;
  static override flags = {
    demo: Flags.boolean({ description: 'Load the demo data; the key is that of the tenant kestrel-coffee.' }),
    'test-clock': Flags.boolean({ description: 'Use a test clock, controlled with `stockroom clock`.' }),
    port: integerFlag({ min: 0, max: 65_535, default: 0, helpValue: 'N', description: 'Port to listen on. Default: any free port.' }),
    tier: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'NAME=PER_MINUTE',
      description: 'Create or update a rate-limit tier; the key has the tier elevated. Repeatable.',
    }),
    'webhook-retries': Flags.string({
      helpValue: 'demo|S,S,…',
      description: 'Webhook retry schedule: delays in seconds, or demo for all retries within a minute.',
    }),
  };
  static override examples = [
    '<%= config.bin %> exec -- npm test',
    '<%= config.bin %> exec --demo --test-clock -- node report.js',
    '<%= config.bin %> exec --tier elevated=100000 -- sh -c \'curl -H "X-API-Key: $STOCKROOM_API_KEY" "$STOCKROOM_URL/v1/items"\'',
  ];

  async run(): Promise<void> {
    const end = this.argv.indexOf('--');
    const command = end === -1 ? [] : this.argv.slice(end + 1);
    const start = findFirstWord(this.argv);
    if (end === -1 && start !== -1) {
      const words = this.argv.toSpliced(start, 0, '--').map(quoteForShell);
      throw usageError('Missing -- before COMMAND', `Run \`stockroom exec ${words.join(' ')}\``);
    }
    if ((command[0] ?? '') === '') throw usageError('Missing COMMAND', 'Example: `stockroom exec -- npm test`');
    const { flags } = await this.parse(Exec, this.argv.slice(0, end));
    const { verbose } = this.globals;
    const config = await resolveConfig(
      {
        ephemeral: true,
        isPrivate: true,
        port: flags.port,
        exactPort: flags.port !== 0,
        demo: flags.demo,
        testClock: flags['test-clock'],
        tiers: Object.fromEntries((flags.tier ?? []).map(parseTier)),
        logLevel: verbose === true ? 'info' : 'error',
        ...(flags['webhook-retries'] === undefined ? {} : { webhookRetries: flags['webhook-retries'] }),
      },
      process.env,
    );
    process.exitCode = await runCommandWithDaemon(config, command, process.env, { logToStderr: verbose === true });
  }
}

/** The position of the first word that is neither a flag nor the value of one, or -1. */
function findFirstWord(argv: readonly string[]): number {
  const flags = Object.entries({ ...Exec.baseFlags, ...Exec.flags });
  const withValue = flags.flatMap(([name, { type, char }]) => (type === 'option' ? [`--${name}`, `-${char ?? name}`] : []));
  return argv.findIndex((word, at) => !word.startsWith('-') && !withValue.includes(argv[at - 1] ?? ''));
}
