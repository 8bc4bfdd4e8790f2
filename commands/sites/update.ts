import { writeFlags } from '../../src/cli/input/request-body.ts';
import { bodyFlags, paramArgs } from '../../src/cli/input/operation-flags.ts';
import { AdminCommand, tenantFlag } from '../../src/cli/base-commands/admin-command.ts';
import { updateSite } from '../../src/contract/admin/sites.ts';

export default class SitesUpdate extends AdminCommand {
  static override summary = 'Update a site';
  static override description = 'Omitted fields are unchanged.';
  static override args = paramArgs(updateSite);
  static override flags = {
    ...bodyFlags(updateSite, { address: 'Postal address.', isActive: 'Whether new orders can use it.' }),
    ...writeFlags,
    ...tenantFlag,
  };
  static override examples = [
    '<%= config.bin %> sites update NORTH --is-default',
    "<%= config.bin %> sites update NORTH --address '1 Dock Road'",
  ];

  async run(): Promise<void> {
    await this.write(updateSite, await this.parse(SitesUpdate));
  }
}
