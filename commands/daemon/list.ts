import { Flags } from '@oclif/core';
import { DaemonCommand, daemonView } from '../../src/cli/base-commands/daemon-command.ts';
import { withElapsedTime } from '../../src/cli/output/wait-indicator.ts';
import { listDaemonStatuses } from '../../src/daemon/control/status.ts';

export default class DaemonList extends DaemonCommand {
  static override summary = 'List running daemons of all data directories';
  static override flags = { all: Flags.boolean({ description: 'Include stopped daemons.' }) };
  static override examples = ['<%= config.bin %> daemon list', '<%= config.bin %> daemon list --all --json'];

  async run(): Promise<void> {
    const { flags } = await this.parse(DaemonList);
    const found = await withElapsedTime(listDaemonStatuses(process.env), 'Waiting for the response');
    const shown = flags.all ? found : found.filter(({ status }) => status !== 'stopped');
    await this.printList({ data: shown }, { ...daemonView, columns: ['status', 'url', 'pid', 'dataDir', 'version'] });
    if (shown.length === 0 && process.stdout.isTTY) this.printNote('No daemon is running');
  }
}
