import { DaemonCommand } from '../../src/cli/base-commands/daemon-command.ts';
import { withElapsedTime } from '../../src/cli/output/wait-indicator.ts';
import { waitForDaemon } from '../../src/daemon/control/status.ts';
import { integerFlag } from '../../src/cli/input/integer-flag.ts';

const TIMEOUT_S = 30;

export default class DaemonWait extends DaemonCommand {
  static override summary = 'Wait until the daemon is ready';
  static override description = 'Exits with 9 if the daemon is not ready in time.';
  static override flags = {
    timeout: integerFlag({ min: 0, default: TIMEOUT_S, helpValue: 'SECONDS', description: 'Maximum time to wait.' }),
  };
  static override examples = ['<%= config.bin %> daemon wait', '<%= config.bin %> daemon wait --timeout 5 && npm test'];

  async run(): Promise<void> {
    const { flags } = await this.parse(DaemonWait);
    await this.printStatus(
      await withElapsedTime(waitForDaemon(this.dataDir, flags.timeout * 1000), 'Waiting for the daemon', flags.timeout),
    );
  }
}
