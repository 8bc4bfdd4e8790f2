import { defineCommand } from '../../src/cli/command/define-command.ts';
import { tenantFlag } from '../../src/cli/input/common-flags.ts';
import { bodyFlags } from '../../src/cli/input/operation-flags.ts';
import { writeFlags } from '../../src/cli/input/request-body.ts';
import { adminAccess } from '../../src/cli/session/admin-session.ts';
import { appFlags, toAppFields, writeAppWithSecret } from '../../src/cli/settings/app-commands.ts';
import { createApp } from '../../src/contract/admin/apps.ts';

export default defineCommand({
  access: adminAccess,
  summary: 'Register a partner application',
  description:
    'The client secret is shown only once; public applications have none. Approve the application with `stockroom apps approve` before use.',
  flags: { ...bodyFlags(createApp), ...appFlags, ...writeFlags, tenant: tenantFlag },
  examples: [
    "apps create --name 'Shop sync' --type confidential --redirect-uri https://shop.example/callback --scope items:read",
    "apps create --name 'Desk tool' --type public --redirect-uri http://127.0.0.1/callback --scope items:read --json",
  ],
  async run(context) {
    const { flags } = context;
    await writeAppWithSecret(context, createApp, toAppFields(flags));
  },
});
