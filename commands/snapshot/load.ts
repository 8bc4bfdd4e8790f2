import { paramArgs } from '../../src/cli/operation-flags.ts';
import { ReplacingCommand } from '../../src/cli/replacing-command.ts';
import { yesFlag } from '../../src/cli/service-command.ts';
import { loadSnapshot } from '../../src/contract/admin/snapshots.ts';

export default class SnapshotLoad extends ReplacingCommand {
  static override summary = 'Let a snapshot take the place of everything the daemon holds';
  static override description = `It is checked as a whole first; one that is damaged, or made by a release with other data, changes nothing.
The daemon goes on running. Deliveries that were waiting when it was saved are sent.`;
  static override args = paramArgs(loadSnapshot, { name: 'Name of the snapshot.' });
  static override flags = { ...yesFlag };
  static override examples = ['<%= config.bin %> snapshot load before-migration', '<%= config.bin %> snapshot load base --yes --json'];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(SnapshotLoad);
    if (!flags.yes && this.canAsk) await this.askToReplace(`the snapshot ${String(args['name'])}`);
    await this.write(loadSnapshot, { args, flags });
    await this.tellLostKey();
  }
}
