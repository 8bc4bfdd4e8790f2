import { AppCommand } from '../../src/cli/base-commands/app-command.ts';
import { confirm } from '../../src/cli/input/confirm.ts';
import { EXIT } from '../../src/cli/errors/exit-codes.ts';
import { Failure } from '../../src/cli/errors/failure.ts';
import { paramArgs } from '../../src/cli/input/operation-flags.ts';
import { yesFlag } from '../../src/cli/base-commands/service-command.ts';
import { tenantFlag } from '../../src/cli/base-commands/admin-command.ts';
import { suspendApp } from '../../src/contract/admin/apps.ts';

export default class AppsSuspend extends AppCommand {
  static override summary = 'Suspend a partner application until it is approved again';
  static override args = paramArgs(suspendApp);
  static override flags = { ...yesFlag, ...tenantFlag };
  static override examples = [
    '<%= config.bin %> apps suspend app_4fJ2kQ9xZr7LmN3pT8vWcY',
    '<%= config.bin %> apps suspend app_4fJ2kQ9xZr7LmN3pT8vWcY --yes --json',
  ];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(AppsSuspend);
    if (!flags.yes && this.canPrompt && !(await confirm(`Suspend ${String(args['app'])}? Its keys stop working.`))) {
      throw new Failure('CANCELLED', 'Cancelled; the application was not suspended', { exit: EXIT.usage });
    }
    await this.showApp(suspendApp, { args, flags });
  }
}
