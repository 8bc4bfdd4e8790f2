import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { showApp } from '../../src/cli/settings/app-commands.ts';
import { getApp } from '../../src/contract/admin/apps.ts';

export default operationCommand(getApp, {
  examples: ['apps get app_4fJ2kQ9xZr7LmN3pT8vWcY', 'apps get app_4fJ2kQ9xZr7LmN3pT8vWcY -o yaml'],
  run: (context) => showApp(context, getApp),
});
