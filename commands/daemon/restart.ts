import { Flags } from '@oclif/core';
import { DaemonCommand } from '../../src/cli/daemon-command.ts';
import { tellWhile } from '../../src/cli/waiting.ts';
import { restartDaemon } from '../../src/daemon/control.ts';

const TIMEOUT_S = 30;

export default class DaemonRestart extends DaemonCommand {
  static override summary = 'Stop the service and start it again as it was';
  static override description =
    'With the same port, clock and tiers. Needed after an upgrade, so that the service is as new as the command line.';
  static override flags = {
    timeout: Flags.integer({ min: 1, default: TIMEOUT_S, helpValue: 'SECONDS', description: 'How long to wait for the stop.' }),
    force: Flags.boolean({ description: 'Kill it when it has not stopped by then.' }),
  };
  static override examples = ['<%= config.bin %> daemon restart', '<%= config.bin %> daemon restart --timeout 5 --force'];

  async run(): Promise<void> {
    const { flags } = await this.parse(DaemonRestart);
    const { status, notices } = await tellWhile(
      restartDaemon(this.dataDir, process.env, { timeoutMs: flags.timeout * 1000, force: flags.force }, this.patience),
      'stopping and starting again',
    );
    for (const notice of notices) this.note(this.naming(this.dataDir, notice));
    await this.printStatus(status);
  }
}
