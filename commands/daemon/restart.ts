import { defineCommand } from '../../src/cli/command/define-command.ts';
import { daemonAccess, stopFlags } from '../../src/cli/session/daemon-session.ts';
import { restartDaemon } from '../../src/daemon/control/start.ts';

export default defineCommand({
  access: daemonAccess,
  summary: 'Restart the daemon with the same options',
  description:
    'Keeps port, clock, tiers and all other options. Restart after an upgrade, so that the daemon runs the same version as the command line.',
  flags: stopFlags,
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
