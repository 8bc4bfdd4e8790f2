import { writeFlags } from '../../src/cli/input/request-body.ts';
import { bodyFlags } from '../../src/cli/input/operation-flags.ts';
import { AdminCommand, tenantFlag } from '../../src/cli/base-commands/admin-command.ts';
import { createSite } from '../../src/contract/admin/sites.ts';

export default class SitesCreate extends AdminCommand {
  static override summary = 'Create a site';
  static override flags = {
    ...bodyFlags(createSite, { address: 'Postal address.', isActive: 'Whether new orders can use it.' }),
    ...writeFlags,
    ...tenantFlag,
  };
  static override examples = [
    "<%= config.bin %> sites create --name 'Warehouse North' --code WN",
    '<%= config.bin %> sites create --name Shop --is-default',
  ];

  async run(): Promise<void> {
    await this.write(createSite, await this.parse(SitesCreate));
  }
}
