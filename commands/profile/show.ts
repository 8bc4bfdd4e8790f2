import { Args } from '@oclif/core';
import { DEFAULT_PROFILE, readConfig, readKey } from '../../src/client/saved.ts';
import { UnknownProfile } from '../../src/client/target.ts';
import { StockroomCommand } from '../../src/cli/command.ts';
import { masked } from '../../src/cli/secret.ts';

const FIELDS = ['name', 'inUse', 'url', 'dataDir', 'tenant', 'apiKey'];

export default class ProfileShow extends StockroomCommand {
  static override summary = 'Show a profile, its key masked';
  static override args = { name: Args.string({ ignoreStdin: true, description: 'Default: the one in use.' }) };
  static override examples = ['<%= config.bin %> profile show', '<%= config.bin %> profile show local --json'];

  async run(): Promise<void> {
    const { args } = await this.parse(ProfileShow);
    const view = this.checked({ fields: FIELDS, columns: FIELDS });
    const { profile, profiles } = readConfig(process.env);
    const name = args.name ?? profile ?? DEFAULT_PROFILE;
    const saved = profiles[name];
    if (!saved)
      throw new UnknownProfile({ value: name, origin: args.name === undefined ? 'default' : 'the command line' }, Object.keys(profiles));
    const key = readKey(process.env, name);
    const { url = null, dataDir = null, tenant = null } = saved;
    await this.printOne(
      { data: { name, inUse: name === profile, url, dataDir, tenant, apiKey: key === undefined ? null : masked(key) } },
      view,
    );
  }
}
