import { paramArgs } from '../../src/cli/input/operation-flags.ts';
import { ReplaceDataCommand } from '../../src/cli/base-commands/replace-data-command.ts';
import { yesFlag } from '../../src/cli/base-commands/service-command.ts';
import { loadSnapshot } from '../../src/contract/admin/snapshots.ts';

export default class SnapshotLoad extends ReplaceDataCommand {
  static override summary = 'Restore a snapshot, replacing all data';
  static override description =
    'The snapshot is verified first; a damaged or incompatible one changes nothing. The daemon keeps running, deliveries that were pending in the snapshot are sent, and API keys are those of the snapshot, even if revoked since.';
  static override args = paramArgs(loadSnapshot, { name: 'Name of the snapshot.' });
  static override flags = { ...yesFlag };
  static override examples = ['<%= config.bin %> snapshot load before-migration', '<%= config.bin %> snapshot load base --yes --json'];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(SnapshotLoad);
    if (!flags.yes && this.canPrompt) await this.confirmReplacement(`snapshot ${String(args['name'])}`);
    await this.write(loadSnapshot, { args, flags });
    this.printNote(`Restored snapshot ${String(args['name'])}, which replaced all data of ${this.target.dataDir.value}`);
    this.printNote('API keys are those of the snapshot: a key revoked since then is valid again');
    await this.warnAboutLostKey();
  }
}
