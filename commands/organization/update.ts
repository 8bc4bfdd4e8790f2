import { writeFlags } from '../../src/cli/input/request-body.ts';
import { bodyFlags } from '../../src/cli/input/operation-flags.ts';
import { AdminCommand, tenantFlag } from '../../src/cli/base-commands/admin-command.ts';
import { updateOrganization } from '../../src/contract/admin/tenants.ts';

export default class OrganizationUpdate extends AdminCommand {
  static override summary = 'Update the profile, plan or settings of your tenant';
  static override description = 'Omitted fields are unchanged.';
  static override flags = {
    ...bodyFlags(updateOrganization, {
      name: 'Display name.',
      negativeStock: 'Whether stock may become negative.',
      oversell: 'Whether sell orders can open for more than is available.',
      billingPeriod: 'Period over which usage is counted.',
      plan: 'Plan of the tenant.',
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
