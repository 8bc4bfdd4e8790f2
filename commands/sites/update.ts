import { writeFlags } from '../../src/cli/body.ts';
import { bodyFlags, paramArgs } from '../../src/cli/operation-flags.ts';
import { SettingsCommand, tenantFlag } from '../../src/cli/settings-command.ts';
import { updateSite } from '../../src/contract/admin/sites.ts';

export default class SitesUpdate extends SettingsCommand {
  static override summary = 'Change a site; what is not named stays as it is';
  static override args = paramArgs(updateSite);
  static override flags = {
    ...bodyFlags(updateSite, { address: 'Where it is.', isActive: 'Whether new orders may use it.' }),
    ...writeFlags,
    ...tenantFlag,
  };
  static override examples = [
    '<%= config.bin %> sites update 0197a3c0-2222-7c33-9a51-3f2b9d6c1e70 --is-default',
    "<%= config.bin %> sites update 0197a3c0-2222-7c33-9a51-3f2b9d6c1e70 --address '1 Dock Road'",
  ];

  async run(): Promise<void> {
    await this.write(updateSite, await this.parse(SitesUpdate));
  }
}
