import { AppCommand, toAppFields, scopeFlag } from '../../src/cli/base-commands/app-command.ts';
import { writeFlags } from '../../src/cli/input/request-body.ts';
import { bodyFlags, paramArgs } from '../../src/cli/input/operation-flags.ts';
import { tenantFlag } from '../../src/cli/base-commands/admin-command.ts';
import { approveApp } from '../../src/contract/admin/apps.ts';

export default class AppsApprove extends AppCommand {
  static override summary = 'Approve a partner application and install it in a tenant';
  static override description =
    "Approved applications can request consent. Installs the application in the given tenant, else the profile's or the only one; confidential applications can then obtain keys with their own credentials.";
  static override args = paramArgs(approveApp);
  static override flags = { ...scopeFlag, ...bodyFlags(approveApp), ...writeFlags, ...tenantFlag };
  static override examples = [
    '<%= config.bin %> apps approve app_4fJ2kQ9xZr7LmN3pT8vWcY',
    '<%= config.bin %> apps approve app_4fJ2kQ9xZr7LmN3pT8vWcY --tenant kestrel --scope items:read --environment production',
  ];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(AppsApprove);
    await this.showApp(approveApp, { args, flags }, toAppFields(flags));
  }
}
