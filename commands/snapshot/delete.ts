import { paramArgs } from '../../src/cli/input/operation-flags.ts';
import { yesFlag } from '../../src/cli/base-commands/service-command.ts';
import { AdminCommand } from '../../src/cli/base-commands/admin-command.ts';
import { deleteSnapshot } from '../../src/contract/admin/snapshots.ts';

export default class SnapshotDelete extends AdminCommand {
  static override summary = 'Delete a snapshot';
  /** Takes several ids. */
  static override strict = false;
  static override args = paramArgs(deleteSnapshot, { name: 'Name of the snapshot.' });
  static override flags = { ...yesFlag };
  static override examples = ['<%= config.bin %> snapshot delete before-migration', '<%= config.bin %> snapshot delete base --yes'];

  async run(): Promise<void> {
    await this.remove(deleteSnapshot, await this.parse(SnapshotDelete), 'snapshot');
  }
}
