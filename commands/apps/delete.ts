import { writeFlags } from '../../src/cli/input/request-body.ts';
import { paramArgs } from '../../src/cli/input/operation-flags.ts';
import { yesFlag } from '../../src/cli/base-commands/service-command.ts';
import { AdminCommand, tenantFlag } from '../../src/cli/base-commands/admin-command.ts';
import { deleteApp } from '../../src/contract/admin/apps.ts';

export default class AppsDelete extends AdminCommand {
  static override summary = 'Delete a partner application and revoke its keys';
  /** Takes several ids. */
  static override strict = false;
  static override args = paramArgs(deleteApp);
  static override flags = { ...yesFlag, 'dry-run': writeFlags['dry-run'], ...tenantFlag };
  static override examples = [
    '<%= config.bin %> apps delete app_4fJ2kQ9xZr7LmN3pT8vWcY',
    '<%= config.bin %> apps delete app_4fJ2kQ9xZr7LmN3pT8vWcY --yes',
  ];

  async run(): Promise<void> {
    await this.remove(deleteApp, await this.parse(AppsDelete), 'application');
  }
}
