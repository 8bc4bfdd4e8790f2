import { AppCommand, appFields, scopeFlag } from '../../src/cli/app-command.ts';
import { writeFlags } from '../../src/cli/body.ts';
import { bodyFlags, paramArgs } from '../../src/cli/operation-flags.ts';
import { tenantFlag } from '../../src/cli/settings-command.ts';
import { approveApp } from '../../src/contract/admin/apps.ts';

export default class AppsApprove extends AppCommand {
  static override summary = 'Approve a partner application and connect it with a tenant';
  static override description =
    'Approved applications may ask for consent. In the tenant that is named, that of the profile, or the only one, it is also installed: a confidential application can then obtain keys by its own credentials.';
  static override args = paramArgs(approveApp);
  static override flags = { ...scopeFlag, ...bodyFlags(approveApp), ...writeFlags, ...tenantFlag };
  static override examples = [
    '<%= config.bin %> apps approve app_4fJ2kQ9xZr7LmN3pT8vWcY',
    '<%= config.bin %> apps approve app_4fJ2kQ9xZr7LmN3pT8vWcY --tenant kestrel --scope items:read --environment production',
  ];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(AppsApprove);
    await this.showApp(approveApp, { args, flags }, appFields(flags));
  }
}
