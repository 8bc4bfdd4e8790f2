import { AppCommand } from '../../src/cli/base-commands/app-command.ts';
import { paramArgs } from '../../src/cli/input/operation-flags.ts';
import { getApp } from '../../src/contract/admin/apps.ts';

export default class AppsGet extends AppCommand {
  static override summary = 'Show a partner application and its installations';
  static override args = paramArgs(getApp);
  static override examples = [
    '<%= config.bin %> apps get app_4fJ2kQ9xZr7LmN3pT8vWcY',
    '<%= config.bin %> apps get app_4fJ2kQ9xZr7LmN3pT8vWcY -o yaml',
  ];

  async run(): Promise<void> {
    await this.showApp(getApp, await this.parse(AppsGet));
  }
}
