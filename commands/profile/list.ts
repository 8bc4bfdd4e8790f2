import { profilesWithKeys, readConfig } from '../../src/client/saved.ts';
import { profileInUse } from '../../src/client/target.ts';
import { StockroomCommand } from '../../src/cli/command.ts';

const COLUMNS = ['name', 'inUse', 'url', 'dataDir', 'tenant', 'hasKey'];

export default class ProfileList extends StockroomCommand {
  static override summary = 'List the saved profiles';
  static override examples = ['<%= config.bin %> profile list', '<%= config.bin %> profile list --json'];

  async run(): Promise<void> {
    await this.parse(ProfileList);
    const view = this.checked({ fields: COLUMNS, columns: COLUMNS });
    const { profiles } = readConfig(process.env);
    const inUse = profileInUse(process.env, process.cwd());
    const withKeys = profilesWithKeys(process.env);
    const data = Object.entries(profiles).map(([name, { url = null, dataDir = null, tenant = null }]) => {
      return { name, inUse: name === inUse, url, dataDir, tenant, hasKey: withKeys.includes(name) };
    });
    await this.printList({ data }, view);
    if (data.length === 0)
      this.note(
        'none is saved yet: the first `stockroom daemon start` makes one, `stockroom keys create --save` or `stockroom profile add` another',
      );
  }
}
