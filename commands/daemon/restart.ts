import { defineCommand } from '../../src/cli/command/define-command.ts';
import { integerFlag } from '../../src/cli/input/integer-flag.ts';
import { daemonAccess } from '../../src/cli/session/daemon-session.ts';
import { restartDaemon } from '../../src/daemon/control/start.ts';
import { Flags } from '@oclif/core';

const TIMEOUT_S = 30;

export default defineCommand({
  access: daemonAccess,
  summary: 'Restart the daemon with the same options',
  description:
    'Keeps port, clock, tiers and all other options. Restart after an upgrade, so that the daemon runs the same version as the command line.',
  flags: {
    timeout: integerFlag({
      min: 1,
      default: TIMEOUT_S,
      helpValue: 'SECONDS',
      description: 'Maximum time to wait for the daemon to stop, after its --drain-seconds.',
    }),
    force: Flags.boolean({ description: 'Kill the daemon if it does not stop in time.' }),
  },
  examples: ['daemon restart', 'daemon restart --timeout 5 --force'],
  async run({ flags, output, session }) {
    const stop = { timeoutMs: flags.timeout * 1000, force: flags.force };
    const { status, notices } = await session.withStartProgress('Restarting', (observer) =>
      restartDaemon(session.dataDir, process.env, stop, observer),
    );
    for (const notice of notices) output.printNote(session.addDataDirFlag(notice));
    await session.printStatus(status);
  },
});
