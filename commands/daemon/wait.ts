import { Flags } from '@oclif/core';
import { DaemonCommand } from '../../src/cli/daemon-command.ts';
import { tellWhile } from '../../src/cli/waiting.ts';
import { waitForDaemon } from '../../src/daemon/control.ts';

const TIMEOUT_S = 30;

export default class DaemonWait extends DaemonCommand {
  static override summary = 'Wait until the service answers';
  static override description = 'For scripts that started it elsewhere. Exit code 9 when it does not answer in time.';
  static override flags = {
    timeout: Flags.integer({ min: 0, default: TIMEOUT_S, helpValue: 'SECONDS', description: 'How long to wait.' }),
  };
  static override examples = ['<%= config.bin %> daemon wait', '<%= config.bin %> daemon wait --timeout 5 && npm test'];

  async run(): Promise<void> {
    const { flags } = await this.parse(DaemonWait);
    await this.printStatus(await tellWhile(waitForDaemon(this.dataDir, flags.timeout * 1000), 'waiting for the service', flags.timeout));
  }
}
