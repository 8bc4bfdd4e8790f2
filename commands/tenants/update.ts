import { writeFlags } from '../../src/cli/input/request-body.ts';
import { bodyFlags, paramArgs } from '../../src/cli/input/operation-flags.ts';
import { AdminCommand } from '../../src/cli/base-commands/admin-command.ts';
import { updateTenant } from '../../src/contract/admin/tenants.ts';

export default class TenantsUpdate extends AdminCommand {
  static override summary = 'Update a tenant';
  static override description = 'Omitted fields are unchanged.';
  static override args = paramArgs(updateTenant);
  static override flags = {
    ...bodyFlags(updateTenant, {
      name: 'Display name.',
      negativeStock: 'Whether stock may become negative.',
      oversell: 'Whether sell orders can open for more than is available.',
      billingPeriod: 'Period over which usage is counted.',
      plan: 'Plan of the tenant.',
    }),
    ...writeFlags,
  };
  static override examples = [
    '<%= config.bin %> tenants update local --plan standard',
    '<%= config.bin %> tenants update local --set numberPrefixes.buy=PUR-',
  ];

  async run(): Promise<void> {
    await this.write(updateTenant, await this.parse(TenantsUpdate));
  }
}
