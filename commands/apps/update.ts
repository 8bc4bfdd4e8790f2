import { defineCommand } from '../../src/cli/command/define-command.ts';
import { tenantFlag } from '../../src/cli/input/common-flags.ts';
import { bodyFlags, paramArgs } from '../../src/cli/input/operation-flags.ts';
import { writeFlags } from '../../src/cli/input/request-body.ts';
import { adminAccess } from '../../src/cli/session/admin-session.ts';
import { appFlags, showApp, toAppFields } from '../../src/cli/settings/app-commands.ts';
import { updateApp } from '../../src/contract/admin/apps.ts';

export default defineCommand({
  access: adminAccess,
  summary: 'Update a partner application',
  description: 'Omitted fields are unchanged; a given list replaces the old one. Changes apply to existing keys immediately.',
  args: paramArgs(updateApp),
  flags: { ...bodyFlags(updateApp), ...appFlags, ...writeFlags, tenant: tenantFlag },
  examples: [
    'apps update app_4fJ2kQ9xZr7LmN3pT8vWcY --scope items:read',
    "apps update app_4fJ2kQ9xZr7LmN3pT8vWcY --name 'Shop sync 2' --redirect-uri https://shop.example/callback",
  ],
  async run(context) {
    const { flags } = context;
    await showApp(context, updateApp, toAppFields(flags));
  },
});
