import { writeFlags } from '../../src/cli/body.ts';
import { paramArgs } from '../../src/cli/operation-flags.ts';
import { yesFlag } from '../../src/cli/service-command.ts';
import { SettingsCommand, tenantFlag } from '../../src/cli/settings-command.ts';
import { deleteApp } from '../../src/contract/admin/apps.ts';

export default class AppsDelete extends SettingsCommand {
  static override summary = 'Delete a partner application and revoke every key it holds';
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
