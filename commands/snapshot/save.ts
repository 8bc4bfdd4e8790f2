import { Args, Flags } from '@oclif/core';
import { SettingsCommand } from '../../src/cli/settings-command.ts';
import { saveSnapshot } from '../../src/contract/admin/snapshots.ts';

export default class SnapshotSave extends SettingsCommand {
  static override summary = 'Save everything the daemon holds under a name, to come back to';
  static override description =
    'Other work goes on meanwhile. The snapshot is there whole or not at all, readable by you alone, in the data directory.';
  static override args = { name: Args.string({ required: true, ignoreStdin: true, description: 'What to call it.' }) };
  static override flags = { replace: Flags.boolean({ description: 'Take the place of a snapshot of that name.' }) };
  static override examples = ['<%= config.bin %> snapshot save before-migration', '<%= config.bin %> snapshot save base --replace --json'];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(SnapshotSave);
    await this.write(saveSnapshot, { args, flags }, { name: args.name, replace: flags.replace });
  }
}
