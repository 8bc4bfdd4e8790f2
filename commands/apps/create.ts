import { AppCommand, appFields, appFlags } from '../../src/cli/app-command.ts';
import { writeFlags } from '../../src/cli/body.ts';
import { bodyFlags } from '../../src/cli/operation-flags.ts';
import { tenantFlag } from '../../src/cli/settings-command.ts';
import { createApp } from '../../src/contract/admin/apps.ts';

export default class AppsCreate extends AppCommand {
  static override summary = 'Register a partner application; its client secret is shown this once';
  static override description =
    'It can do nothing before `stockroom apps approve`. A public application, one that runs where others can read it, has no secret.';
  static override flags = { ...bodyFlags(createApp), ...appFlags, ...writeFlags, ...tenantFlag };
  static override examples = [
    "<%= config.bin %> apps create --name 'Shop sync' --type confidential --redirect-uri https://shop.example/callback --scope items:read",
    "<%= config.bin %> apps create --name 'Desk tool' --type public --redirect-uri http://127.0.0.1/callback --scope items:read --json",
  ];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(AppsCreate);
    await this.writeWithSecret(createApp, { args, flags }, appFields(flags));
  }
}
