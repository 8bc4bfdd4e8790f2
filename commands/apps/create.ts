import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { appFlags, toAppFields, writeAppWithSecret } from '../../src/cli/settings/app-commands.ts';
import { createApp } from '../../src/contract/admin/apps.ts';

export default operationCommand(createApp, {
  description:
    'The client secret is shown only once, as .clientSecret of the JSON; public applications have none. Approve the application with `stockroom apps approve` before use.',
  flags: appFlags,
  examples: [
    "apps create --name 'Shop sync' --type confidential --redirect-uri https://shop.example/callback --scope items:read",
    "apps create --name 'Desk tool' --type public --redirect-uri http://127.0.0.1/callback --scope items:read --json",
  ],
  run: (context) => writeAppWithSecret(context, createApp, toAppFields(context.flags)),
});
