import { Args, Flags } from '@oclif/core';
import { AdminCommand } from '../../src/cli/base-commands/admin-command.ts';
import { saveSnapshot } from '../../src/contract/admin/snapshots.ts';

export default class SnapshotSave extends AdminCommand {
  static override summary = 'Save a snapshot of all data';
  static override description =
    'The daemon keeps serving requests meanwhile. The snapshot is stored in the data directory, readable only by you.';
  static override args = { name: Args.string({ required: true, ignoreStdin: true, description: 'Name of the snapshot.' }) };
  static override flags = { replace: Flags.boolean({ description: 'Overwrite an existing snapshot with this name.' }) };
  static override examples = ['<%= config.bin %> snapshot save before-migration', '<%= config.bin %> snapshot save base --replace --json'];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(SnapshotSave);
    await this.write(saveSnapshot, { args, flags }, { name: args.name, replace: flags.replace });
  }
}
