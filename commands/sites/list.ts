import { listFlags } from '../../src/cli/input/operation-flags.ts';
import { AdminCommand, tenantFlag } from '../../src/cli/base-commands/admin-command.ts';
import { listSites } from '../../src/contract/admin/sites.ts';

export default class SitesList extends AdminCommand {
  static override summary = 'List sites';
  static override flags = { ...listFlags(listSites), ...tenantFlag };
  static override examples = ['<%= config.bin %> sites list', '<%= config.bin %> sites list --search a --json'];

  async run(): Promise<void> {
    await this.list(listSites, await this.parse(SitesList), ['id', 'name', 'code', 'isDefault', 'isActive', 'address', 'updatedAt']);
  }
}
