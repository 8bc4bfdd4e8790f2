import { listProfilesWithKeys, readConfig } from '../../src/client/profiles.ts';
import { getActiveProfile } from '../../src/client/target.ts';
import { StockroomCommand } from '../../src/cli/base-commands/stockroom-command.ts';

const COLUMNS = ['name', 'inUse', 'url', 'dataDir', 'tenant', 'hasKey'];

export default class ProfileList extends StockroomCommand {
  static override summary = 'List saved profiles';
  static override examples = ['<%= config.bin %> profile list', '<%= config.bin %> profile list --json'];

  async run(): Promise<void> {
    await this.parse(ProfileList);
    const view = this.validateOutput({ fields: COLUMNS, columns: COLUMNS });
    const { profiles } = readConfig(process.env);
    const inUse = getActiveProfile(process.env, process.cwd());
    const withKeys = listProfilesWithKeys(process.env);
    const data = Object.entries(profiles).map(([name, { url = null, dataDir = null, tenant = null }]) => {
      return { name, inUse: name === inUse, url, dataDir, tenant, hasKey: withKeys.includes(name) };
    });
    await this.printList({ data }, view);
    if (data.length === 0)
      this.printNote('No profiles yet. The first `stockroom daemon start` creates one; add others with `stockroom profile add`');
  }
}
