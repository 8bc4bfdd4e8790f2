import { Flags, type Interfaces } from '@oclif/core';
import { DaemonCommand } from '../src/cli/daemon-command.ts';
import { usage } from '../src/cli/failure.ts';
import { globalFlags } from '../src/cli/flags.ts';
import { parseTier, resolveConfig } from '../src/daemon/config.ts';
import { runWith } from '../src/daemon/exec.ts';

export default class Exec extends DaemonCommand {
  static override summary = 'Run a command with a service of its own, which is gone when the command ends';
  static override description = `The service is empty but for a tenant, listens on a free port and keeps nothing.
The command finds it by STOCKROOM_URL and STOCKROOM_API_KEY; STOCKROOM_DATA_DIR lets \`clock advance\`, \`faults set\` reach it, too.
The exit code is the command's, or 128 and the number of the signal that ended it. Signals are passed on.`;
  /** What is missing is said by `run`, in words. */
  static override strict = false;
  static override usage = 'exec [FLAGS] -- COMMAND [ARGUMENTS]';
  static override baseFlags: Interfaces.FlagInput = globalFlags;
  static override flags = {
    demo: Flags.boolean({ description: "With the demo data; the key is the roaster's." }),
    'test-clock': Flags.boolean({ description: 'Use a clock that `clock advance` can move.' }),
    port: Flags.integer({ min: 0, max: 65_535, default: 0, helpValue: 'N', description: 'This port or none; default: any free one.' }),
    tier: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'NAME=PER_MINUTE',
      description: 'Add or change a rate tier; the key has the tier elevated. Repeatable.',
    }),
    'webhook-retries': Flags.string({ helpValue: 'demo|S,S,…', description: 'Seconds before each retry of a webhook delivery.' }),
  };
  static override examples = [
    '<%= config.bin %> exec -- npm test',
    '<%= config.bin %> exec --demo --test-clock -- node report.js',
    '<%= config.bin %> exec --tier elevated=100000 -- sh -c \'curl -H "X-API-Key: $STOCKROOM_API_KEY" "$STOCKROOM_URL/v1/items"\'',
  ];

  async run(): Promise<void> {
    const end = this.argv.indexOf('--');
    const command = end === -1 ? [] : this.argv.slice(end + 1);
    if ((command[0] ?? '') === '') throw usage('which command?', 'put it behind two hyphens: `stockroom exec -- npm test`');
    const { flags } = await this.parse(Exec, this.argv.slice(0, end));
    const { verbose } = this.globals;
    const config = await resolveConfig(
      {
        ephemeral: true,
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
    process.exitCode = await runWith(config, command, process.env, verbose === true);
  }
}
