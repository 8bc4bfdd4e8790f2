import { defineCommand } from '../../src/cli/command/define-command.ts';
import { paramArgs } from '../../src/cli/input/operation-flags.ts';
import { adminAccess } from '../../src/cli/session/admin-session.ts';
import { showApp } from '../../src/cli/settings/app-commands.ts';
import { getApp } from '../../src/contract/admin/apps.ts';

export default defineCommand({
  access: adminAccess,
  summary: 'Show a partner application and its installations',
  args: paramArgs(getApp),
  examples: ['apps get app_4fJ2kQ9xZr7LmN3pT8vWcY', 'apps get app_4fJ2kQ9xZr7LmN3pT8vWcY -o yaml'],
  async run(context) {
    await showApp(context, getApp);
  },
});
