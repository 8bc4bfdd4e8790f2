import { Flags } from '@oclif/core';
import { DaemonCommand, daemonView } from '../../src/cli/daemon-command.ts';
import { tellWhile } from '../../src/cli/waiting.ts';
import { daemonStatuses } from '../../src/daemon/control.ts';

export default class DaemonList extends DaemonCommand {
  static override summary = 'List the running services of all data directories';
  static override flags = { all: Flags.boolean({ description: 'Also data directories whose service is stopped.' }) };
  static override examples = ['<%= config.bin %> daemon list', '<%= config.bin %> daemon list --all --json'];

  async run(): Promise<void> {
    const { flags } = await this.parse(DaemonList);
    const found = await tellWhile(daemonStatuses(process.env), 'waiting for the answer');
    const shown = flags.all ? found : found.filter(({ status }) => status !== 'stopped');
    await this.printList({ data: shown }, { ...daemonView, columns: ['status', 'url', 'pid', 'dataDir', 'version'] });
    if (shown.length === 0 && process.stdout.isTTY) this.note('no daemon is running');
  }
}
