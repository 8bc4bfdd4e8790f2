import { Args } from '@oclif/core';
import { readConfig, readKey } from '../../src/client/saved.ts';
import { UnknownProfile, findTarget, profileInUse } from '../../src/client/target.ts';
import { StockroomCommand } from '../../src/cli/command.ts';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { Failure } from '../../src/cli/failure.ts';
import { masked } from '../../src/cli/secret.ts';

const FIELDS = ['name', 'inUse', 'url', 'dataDir', 'tenant', 'apiKey'];

export default class ProfileShow extends StockroomCommand {
  static override summary = 'Show a profile, its key masked';
  static override args = { name: Args.string({ ignoreStdin: true, description: 'Default: the one in use.' }) };
  static override examples = ['<%= config.bin %> profile show', '<%= config.bin %> profile show local --json'];

  async run(): Promise<void> {
    const { args } = await this.parse(ProfileShow);
    const view = this.checked({ fields: FIELDS, columns: FIELDS });
    const { profiles } = readConfig(process.env);
    const name = args.name ?? this.nameInUse();
    const saved = profiles[name];
    if (!saved)
      throw new UnknownProfile({ value: name, origin: args.name === undefined ? 'default' : 'the command line' }, Object.keys(profiles));
    const key = readKey(process.env, name);
    const { url = null, dataDir = null, tenant = null } = saved;
    await this.printOne(
      {
        data: {
          name,
          inUse: name === profileInUse(process.env, process.cwd()),
          url,
          dataDir,
          tenant,
          apiKey: key === undefined ? null : masked(key),
        },
      },
      view,
    );
  }

  private nameInUse(): string {
    const { profile, profileSaved, dataDir } = findTarget({}, process.env, process.cwd());
    if (!profileSaved && dataDir.origin !== 'default')
      throw new Failure('unknown_profile', `no profile is saved for ${dataDir.value}, which ${dataDir.origin} names`, {
        exit: EXIT.usage,
        hint: '`stockroom profile list` shows what is saved',
      });
    return profile.value;
  }
}
