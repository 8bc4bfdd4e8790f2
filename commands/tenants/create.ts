import { writeFlags } from '../../src/cli/input/request-body.ts';
import { bodyFlags } from '../../src/cli/input/operation-flags.ts';
import { AdminCommand } from '../../src/cli/base-commands/admin-command.ts';
import { createTenant } from '../../src/contract/admin/tenants.ts';

export default class TenantsCreate extends AdminCommand {
  static override summary = 'Create a tenant';
  static override description =
    'Also creates its house contact (the contact that stands for the tenant itself), its default site and common units.';
  static override flags = {
    ...bodyFlags(createTenant, {
      name: 'Display name.',
      negativeStock: 'Whether stock may become negative.',
      oversell: 'Whether sell orders can open for more than is available.',
      billingPeriod: 'Period over which usage is counted.',
      plan: 'Plan of the tenant.',
    }),
    ...writeFlags,
  };
  static override examples = [
    "<%= config.bin %> tenants create --name 'Kestrel Coffee' --plan enterprise --timezone Europe/Lisbon",
    '<%= config.bin %> tenants create --name Sandbox --plan free -o id',
  ];

  async run(): Promise<void> {
    await this.write(createTenant, await this.parse(TenantsCreate));
  }
}
