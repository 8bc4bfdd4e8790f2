import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { yesFlag } from '../../src/cli/input/common-flags.ts';
import { confirmOrCancel } from '../../src/cli/input/confirm.ts';
import { showApp } from '../../src/cli/settings/app-commands.ts';
import { disconnectApp } from '../../src/contract/admin/apps.ts';

export default operationCommand(disconnectApp, {
  summary: "Revoke a partner application's access to a tenant",
  flags: yesFlag,
  examples: ['apps disconnect app_4fJ2kQ9xZr7LmN3pT8vWcY', 'apps disconnect app_4fJ2kQ9xZr7LmN3pT8vWcY --tenant kestrel --yes'],
  async run(context) {
    const { args } = context;
    await confirmOrCancel(
      context,
      `Disconnect ${String(args['app'])}? Its keys in the tenant are revoked permanently.`,
      'the application was not disconnected',
    );
    await showApp(context, disconnectApp);
  },
});
