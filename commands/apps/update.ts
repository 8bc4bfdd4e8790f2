import { AppCommand, toAppFields, appFlags } from '../../src/cli/base-commands/app-command.ts';
import { writeFlags } from '../../src/cli/input/request-body.ts';
import { bodyFlags, paramArgs } from '../../src/cli/input/operation-flags.ts';
import { tenantFlag } from '../../src/cli/base-commands/admin-command.ts';
import { updateApp } from '../../src/contract/admin/apps.ts';

export default class AppsUpdate extends AppCommand {
  static override summary = 'Update a partner application';
  static override description =
    'Omitted fields are unchanged; a given list replaces the old one. Changes apply to existing keys immediately.';
  static override args = paramArgs(updateApp);
  static override flags = { ...bodyFlags(updateApp), ...appFlags, ...writeFlags, ...tenantFlag };
  static override examples = [
    '<%= config.bin %> apps update app_4fJ2kQ9xZr7LmN3pT8vWcY --scope items:read',
    "<%= config.bin %> apps update app_4fJ2kQ9xZr7LmN3pT8vWcY --name 'Shop sync 2' --redirect-uri https://shop.example/callback",
  ];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(AppsUpdate);
    await this.showApp(updateApp, { args, flags }, toAppFields(flags));
  }
}
