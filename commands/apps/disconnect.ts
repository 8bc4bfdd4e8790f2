import { AppCommand } from '../../src/cli/app-command.ts';
import { confirm } from '../../src/cli/ask.ts';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { Failure } from '../../src/cli/failure.ts';
import { paramArgs } from '../../src/cli/operation-flags.ts';
import { yesFlag } from '../../src/cli/service-command.ts';
import { tenantFlag } from '../../src/cli/settings-command.ts';
import { disconnectApp } from '../../src/contract/admin/apps.ts';

export default class AppsDisconnect extends AppCommand {
  static override summary = 'Take back what a partner application may do in a tenant';
  static override args = paramArgs(disconnectApp);
  static override flags = { ...yesFlag, ...tenantFlag };
  static override examples = [
    '<%= config.bin %> apps disconnect app_4fJ2kQ9xZr7LmN3pT8vWcY',
    '<%= config.bin %> apps disconnect app_4fJ2kQ9xZr7LmN3pT8vWcY --tenant kestrel --yes',
  ];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(AppsDisconnect);
    if (!flags.yes && this.canAsk && !(await confirm(`Disconnect ${String(args['app'])}? Its keys in the tenant stop working for good.`))) {
      throw new Failure('cancelled', 'nothing was disconnected', { exit: EXIT.usage });
    }
    await this.showApp(disconnectApp, { args, flags });
  }
}
