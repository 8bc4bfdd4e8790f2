import { writeFlags } from '../../src/cli/body.ts';
import { bodyFlags } from '../../src/cli/operation-flags.ts';
import { SettingsCommand, tenantFlag } from '../../src/cli/settings-command.ts';
import { updateOrganization } from '../../src/contract/admin/tenants.ts';

export default class OrganizationUpdate extends SettingsCommand {
  static override summary = 'Change the profile, plan or settings of your organization';
  static override flags = {
    ...bodyFlags(updateOrganization, {
      name: 'What people call it.',
      negativeStock: 'Whether stock may go below zero.',
      oversell: 'Whether sell orders may open for more than is available.',
      billingPeriod: 'What usage is counted by.',
      plan: 'What the tenant may use.',
    }),
    ...writeFlags,
    ...tenantFlag,
  };
  static override examples = [
    "<%= config.bin %> organization update --name 'Kestrel Coffee Roasters'",
    '<%= config.bin %> organization update --plan pro --tenant kestrel-coffee',
  ];

  async run(): Promise<void> {
    await this.write(updateOrganization, await this.parse(OrganizationUpdate));
  }
}
