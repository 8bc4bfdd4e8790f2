import { writeFlags } from '../../src/cli/body.ts';
import { bodyFlags, paramArgs } from '../../src/cli/operation-flags.ts';
import { SettingsCommand } from '../../src/cli/settings-command.ts';
import { updateTenant } from '../../src/contract/admin/tenants.ts';

export default class TenantsUpdate extends SettingsCommand {
  static override summary = 'Change a tenant; what is not named stays as it is';
  static override args = paramArgs(updateTenant);
  static override flags = {
    ...bodyFlags(updateTenant, {
      name: 'What people call it.',
      negativeStock: 'Whether stock may go below zero.',
      oversell: 'Whether sell orders may open for more than is available.',
      billingPeriod: 'What usage is counted by.',
      plan: 'What the tenant may use.',
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
