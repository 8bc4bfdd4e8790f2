import { listFlags } from '../../src/cli/input/operation-flags.ts';
import { AdminCommand } from '../../src/cli/base-commands/admin-command.ts';
import { listTenants } from '../../src/contract/admin/tenants.ts';

export default class TenantsList extends AdminCommand {
  static override summary = 'List tenants';
  static override flags = { ...listFlags(listTenants) };
  static override examples = ['<%= config.bin %> tenants list', '<%= config.bin %> tenants list --search coffee --columns slug,plan'];

  async run(): Promise<void> {
    await this.list(listTenants, await this.parse(TenantsList), [
      'slug',
      'name',
      'plan',
      'isActive',
      'currency',
      'timezone',
      'id',
      'createdAt',
    ]);
  }
}
