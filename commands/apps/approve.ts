import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { scopeFlag, showApp, toAppFields } from '../../src/cli/settings/app-commands.ts';
import { approveApp } from '../../src/contract/admin/apps.ts';

export default operationCommand(approveApp, {
  description:
    "Approved applications can request consent. Installs the application in the given tenant, else the profile's or the only one; confidential applications can then obtain keys with their own credentials.",
  flags: scopeFlag,
  examples: [
    'apps approve app_4fJ2kQ9xZr7LmN3pT8vWcY',
    'apps approve app_4fJ2kQ9xZr7LmN3pT8vWcY --tenant kestrel --scope items:read --environment production',
  ],
  run: (context) => showApp(context, approveApp, toAppFields(context.flags)),
});
