import { AdminCommand } from '../../src/cli/base-commands/admin-command.ts';
import { SNAPSHOT_COLUMNS } from '../../src/cli/views/snapshots.ts';
import { listSnapshots } from '../../src/contract/admin/snapshots.ts';

export default class SnapshotList extends AdminCommand {
  static override summary = 'List snapshots, newest first';
  static override examples = ['<%= config.bin %> snapshot list', '<%= config.bin %> snapshot list --json'];

  async run(): Promise<void> {
    await this.list(listSnapshots, await this.parse(SnapshotList), SNAPSHOT_COLUMNS, { hiddenIfEmpty: ['problem'] });
  }
}
