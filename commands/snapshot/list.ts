import { SettingsCommand } from '../../src/cli/settings-command.ts';
import { SNAPSHOT_COLUMNS } from '../../src/cli/snapshots.ts';
import { listSnapshots } from '../../src/contract/admin/snapshots.ts';

export default class SnapshotList extends SettingsCommand {
  static override summary = 'List the snapshots of the data directory, the newest first';
  static override examples = ['<%= config.bin %> snapshot list', '<%= config.bin %> snapshot list --json'];

  async run(): Promise<void> {
    await this.list(listSnapshots, await this.parse(SnapshotList), SNAPSHOT_COLUMNS, { sparse: ['problem'] });
  }
}
