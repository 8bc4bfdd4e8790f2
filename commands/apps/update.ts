import { AppCommand, appFields, appFlags } from '../../src/cli/app-command.ts';
import { writeFlags } from '../../src/cli/body.ts';
import { bodyFlags, paramArgs } from '../../src/cli/operation-flags.ts';
import { tenantFlag } from '../../src/cli/settings-command.ts';
import { updateApp } from '../../src/contract/admin/apps.ts';

export default class AppsUpdate extends AppCommand {
  static override summary = 'Change a partner application; keys that it holds follow at once';
  static override description = 'A list that is given replaces the whole list.';
  static override args = paramArgs(updateApp);
  static override flags = { ...bodyFlags(updateApp), ...appFlags, ...writeFlags, ...tenantFlag };
  static override examples = [
    '<%= config.bin %> apps update app_4fJ2kQ9xZr7LmN3pT8vWcY --scope items:read',
    "<%= config.bin %> apps update app_4fJ2kQ9xZr7LmN3pT8vWcY --name 'Shop sync 2' --redirect-uri https://shop.example/callback",
  ];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(AppsUpdate);
    await this.showApp(updateApp, { args, flags }, appFields(flags));
  }
}
