import { paramArgs } from '../../src/cli/input/operation-flags.ts';
import { AdminCommand } from '../../src/cli/base-commands/admin-command.ts';
import { getTenant } from '../../src/contract/admin/tenants.ts';

export default class TenantsGet extends AdminCommand {
  static override summary = 'Show a tenant with its settings';
  static override args = paramArgs(getTenant);
  static override examples = ['<%= config.bin %> tenants get local', '<%= config.bin %> tenants get local --columns plan,timezone'];

  async run(): Promise<void> {
    await this.show(getTenant, await this.parse(TenantsGet));
  }
}
