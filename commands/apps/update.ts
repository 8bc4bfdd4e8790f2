import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { appFlags, showApp, toAppFields } from '../../src/cli/settings/app-commands.ts';
import { updateApp } from '../../src/contract/admin/apps.ts';

export default operationCommand(updateApp, {
  description: 'Omitted fields are unchanged; a given list replaces the old one. Changes apply to existing keys immediately.',
  flags: appFlags,
  examples: [
    'apps update app_4fJ2kQ9xZr7LmN3pT8vWcY --scope items:read',
    "apps update app_4fJ2kQ9xZr7LmN3pT8vWcY --name 'Shop sync 2' --redirect-uri https://shop.example/callback",
  ],
  run: (context) => showApp(context, updateApp, toAppFields(context.flags)),
});
