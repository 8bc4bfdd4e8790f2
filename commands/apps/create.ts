import { AppCommand, toAppFields, appFlags } from '../../src/cli/base-commands/app-command.ts';
import { writeFlags } from '../../src/cli/input/request-body.ts';
import { bodyFlags } from '../../src/cli/input/operation-flags.ts';
import { tenantFlag } from '../../src/cli/base-commands/admin-command.ts';
import { createApp } from '../../src/contract/admin/apps.ts';

export default class AppsCreate extends AppCommand {
  static override summary = 'Register a partner application';
  static override description =
    'The client secret is shown only once; public applications have none. Approve the application with `stockroom apps approve` before use.';
  static override flags = { ...bodyFlags(createApp), ...appFlags, ...writeFlags, ...tenantFlag };
  static override examples = [
    "<%= config.bin %> apps create --name 'Shop sync' --type confidential --redirect-uri https://shop.example/callback --scope items:read",
    "<%= config.bin %> apps create --name 'Desk tool' --type public --redirect-uri http://127.0.0.1/callback --scope items:read --json",
  ];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(AppsCreate);
    await this.writeWithSecret(createApp, { args, flags }, toAppFields(flags));
  }
}
