import { Flags } from '@oclif/core';
import { defineCommand } from '../src/cli/command/define-command.ts';
import { processAccess } from '../src/cli/session/daemon-session.ts';
import { createDaemonClient, fixturesFlag, prepareProjectFixtures } from '../src/cli/fixtures/started-fixtures.ts';
import { parseTier, resolveConfig } from '../src/daemon/config.ts';
import { runCommandWithDaemon } from '../src/daemon/lifecycle/exec.ts';
import { valueList } from '../src/cli/input/common-flags.ts';
import { integerFlag } from '../src/cli/input/integer-flag.ts';
import { splitCommand } from '../src/cli/input/split-command.ts';
import { contractFlag, corsFlag, selectContract, selectCors } from '../src/cli/input/start-flags.ts';

/** Flags and their values come before `--`. */
const execFlags = {
  demo: Flags.boolean({ description: 'Load the demo data; the key is that of the tenant kestrel-coffee.' }),
  fixtures: fixturesFlag,
  cors: corsFlag,
  'test-clock': Flags.boolean({ description: 'Use a test clock, controlled with `stockroom clock`.' }),
  contract: contractFlag,
  port: integerFlag({ min: 0, max: 65_535, default: 0, helpValue: 'N', description: 'Port to listen on. Default: any free port.' }),
  tier: Flags.string({
    ...valueList,
    helpValue: 'NAME=PER_MINUTE,…',
    description: 'Create or update a rate-limit tier; the key has the tier elevated. Repeatable.',
  }),
  'webhook-retries': Flags.string({
    helpValue: 'demo|S,S,…',
    description: 'Webhook retry schedule: delays in seconds, or demo for all retries within a minute.',
  }),
};

export default defineCommand({
  access: processAccess,
  summary: 'Run a command against a temporary service',
  description: `Sets STOCKROOM_URL, STOCKROOM_API_KEY, STOCKROOM_DATA_DIR, STOCKROOM_CONTROL_URL and STOCKROOM_CONTROL_TOKEN for the command; the service starts with an empty tenant, or with the fixtures of the project, and is deleted afterwards. Forwards signals and exits with the command's exit code, or 128 plus the number of the signal that ended it.`,
  // `selectArgv` reports a missing command.
  takesMoreWords: true,
  usage: 'exec [FLAGS] -- COMMAND [ARGUMENTS]',
  flags: execFlags,
  examples: [
    'exec -- npm test',
    'exec --fixtures test/stockroom.fixtures.yaml -- pytest',
    'exec --demo --test-clock -- node report.js',
    'exec --tier elevated=100000 -- sh -c \'curl -H "X-API-Key: $STOCKROOM_API_KEY" "$STOCKROOM_URL/v1/items"\'',
  ],
  selectArgv: (argv) => splitCommand(argv, 'exec', execFlags).own,
  async run({ argv, flags, output }) {
    const fixtures = await prepareProjectFixtures(flags);
    const cors = selectCors(flags.cors);
    const config = await resolveConfig(
      {
        hasFixtures: fixtures !== undefined,
        ephemeral: true,
        isPrivate: true,
        port: flags.port,
        controlPort: 0,
        record: true,
        exactPort: flags.port !== 0,
        demo: flags.demo,
        testClock: flags['test-clock'],
        contract: selectContract(flags.contract) ?? 'extended',
        tiers: Object.fromEntries((flags.tier ?? []).map(parseTier)),
        logLevel: output.isVerbose ? 'info' : 'error',
        ...(cors && { cors }),
        ...(flags['webhook-retries'] !== undefined && { webhookRetries: flags['webhook-retries'] }),
      },
      process.env,
    );
    process.exitCode = await runCommandWithDaemon(config, splitCommand(argv, 'exec', execFlags).command, process.env, {
      logToStderr: output.isVerbose,
      prepare:
        fixtures &&
        (async ({ status: { dataDir } }) => {
          const client = createDaemonClient(dataDir);
          await fixtures.apply(client);
          return fixtures.getKey(client);
        }),
    });
  },
});
