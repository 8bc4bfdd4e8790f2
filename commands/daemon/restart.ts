import { Flags } from '@oclif/core';
import { DaemonCommand } from '../../src/cli/base-commands/daemon-command.ts';
import { restartDaemon } from '../../src/daemon/control/start.ts';
import { integerFlag } from '../../src/cli/input/integer-flag.ts';

const TIMEOUT_S = 30;

export default class DaemonRestart extends DaemonCommand {
  static override summary = 'Restart the daemon with the same options';
  static override description =
    'Keeps port, clock, tiers and all other options. Restart after an upgrade, so that the daemon runs the same version as the command line.';
  static override flags = {
    timeout: integerFlag({
      min: 1,
      default: TIMEOUT_S,
      helpValue: 'SECONDS',
      description: 'Maximum time to wait for the daemon to stop, after its --drain-seconds.',
    }),
    force: Flags.boolean({ description: 'Kill the daemon if it does not stop in time.' }),
  };
  static override examples = ['<%= config.bin %> daemon restart', '<%= config.bin %> daemon restart --timeout 5 --force'];

  async run(): Promise<void> {
    const { flags } = await this.parse(DaemonRestart);
    const stop = { timeoutMs: flags.timeout * 1000, force: flags.force };
    const { status, notices } = await this.withStartProgress('Restarting', (observer) =>
      restartDaemon(this.dataDir, process.env, stop, observer),
    );
    for (const notice of notices) this.printNote(this.addDataDirFlag(this.dataDir, notice));
    await this.printStatus(status);
  }
}
