import { paramArgs } from '../../src/cli/input/operation-flags.ts';
import { AdminCommand, tenantFlag } from '../../src/cli/base-commands/admin-command.ts';
import { getSite } from '../../src/contract/admin/sites.ts';

export default class SitesGet extends AdminCommand {
  static override summary = 'Show a site';
  static override args = paramArgs(getSite);
  static override flags = { ...tenantFlag };
  static override examples = ['<%= config.bin %> sites get NORTH', '<%= config.bin %> sites get NORTH --json'];

  async run(): Promise<void> {
    await this.show(getSite, await this.parse(SitesGet));
  }
}
