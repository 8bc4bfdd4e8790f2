import { writeFlags } from '../../src/cli/body.ts';
import { bodyFlags } from '../../src/cli/operation-flags.ts';
import { SettingsCommand } from '../../src/cli/settings-command.ts';
import { createTenant } from '../../src/contract/admin/tenants.ts';

export default class TenantsCreate extends SettingsCommand {
  static override summary = 'Create a tenant with its house contact, default site and common units';
  static override flags = {
    ...bodyFlags(createTenant, {
      name: 'What people call it.',
      negativeStock: 'Whether stock may go below zero.',
      oversell: 'Whether sell orders may open for more than is available.',
      billingPeriod: 'What usage is counted by.',
      plan: 'What the tenant may use.',
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
