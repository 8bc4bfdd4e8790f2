import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { yesFlag } from '../../src/cli/input/common-flags.ts';
import { confirmOrCancel } from '../../src/cli/input/confirm.ts';
import { showApp } from '../../src/cli/settings/app-commands.ts';
import { suspendApp } from '../../src/contract/admin/apps.ts';

export default operationCommand(suspendApp, {
  summary: 'Suspend a partner application until it is approved again',
  flags: yesFlag,
  examples: ['apps suspend app_4fJ2kQ9xZr7LmN3pT8vWcY', 'apps suspend app_4fJ2kQ9xZr7LmN3pT8vWcY --yes --json'],
  async run(context) {
    const { args } = context;
    await confirmOrCancel(context, `Suspend ${String(args['app'])}? Its keys stop working.`, 'the application was not suspended');
    await showApp(context, suspendApp);
  },
});
