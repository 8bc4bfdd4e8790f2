import { defineCommand } from '../../src/cli/command/define-command.ts';
import { tenantFlag } from '../../src/cli/input/common-flags.ts';
import { bodyFlags, paramArgs } from '../../src/cli/input/operation-flags.ts';
import { writeFlags } from '../../src/cli/input/request-body.ts';
import { adminAccess } from '../../src/cli/session/admin-session.ts';
import { scopeFlag, showApp, toAppFields } from '../../src/cli/settings/app-commands.ts';
import { approveApp } from '../../src/contract/admin/apps.ts';

export default defineCommand({
  access: adminAccess,
  summary: 'Approve a partner application and install it in a tenant',
  description:
    "Approved applications can request consent. Installs the application in the given tenant, else the profile's or the only one; confidential applications can then obtain keys with their own credentials.",
  args: paramArgs(approveApp),
  flags: { ...scopeFlag, ...bodyFlags(approveApp), ...writeFlags, tenant: tenantFlag },
  examples: [
    'apps approve app_4fJ2kQ9xZr7LmN3pT8vWcY',
    'apps approve app_4fJ2kQ9xZr7LmN3pT8vWcY --tenant kestrel --scope items:read --environment production',
  ],
  async run(context) {
    const { flags } = context;
    await showApp(context, approveApp, toAppFields(flags));
  },
});
