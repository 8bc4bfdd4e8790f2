import { AppCommand } from '../../src/cli/base-commands/app-command.ts';
import { confirm } from '../../src/cli/input/confirm.ts';
import { EXIT } from '../../src/cli/errors/exit-codes.ts';
import { Failure } from '../../src/cli/errors/failure.ts';
import { paramArgs } from '../../src/cli/input/operation-flags.ts';
import { yesFlag } from '../../src/cli/base-commands/service-command.ts';
import { tenantFlag } from '../../src/cli/base-commands/admin-command.ts';
import { disconnectApp } from '../../src/contract/admin/apps.ts';

export default class AppsDisconnect extends AppCommand {
  static override summary = "Revoke a partner application's access to a tenant";
  static override args = paramArgs(disconnectApp);
  static override flags = { ...yesFlag, ...tenantFlag };
  static override examples = [
    '<%= config.bin %> apps disconnect app_4fJ2kQ9xZr7LmN3pT8vWcY',
    '<%= config.bin %> apps disconnect app_4fJ2kQ9xZr7LmN3pT8vWcY --tenant kestrel --yes',
  ];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(AppsDisconnect);
    if (
      !flags.yes &&
      this.canPrompt &&
      !(await confirm(`Disconnect ${String(args['app'])}? Its keys in the tenant are revoked permanently.`))
    ) {
      throw new Failure('CANCELLED', 'Cancelled; the application was not disconnected', { exit: EXIT.usage });
    }
    await this.showApp(disconnectApp, { args, flags });
  }
}
