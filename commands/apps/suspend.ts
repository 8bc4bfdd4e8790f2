import { AppCommand } from '../../src/cli/app-command.ts';
import { confirm } from '../../src/cli/ask.ts';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { Failure } from '../../src/cli/failure.ts';
import { paramArgs } from '../../src/cli/operation-flags.ts';
import { yesFlag } from '../../src/cli/service-command.ts';
import { tenantFlag } from '../../src/cli/settings-command.ts';
import { suspendApp } from '../../src/contract/admin/apps.ts';

export default class AppsSuspend extends AppCommand {
  static override summary = 'Refuse everything of a partner application until it is approved again';
  static override args = paramArgs(suspendApp);
  static override flags = { ...yesFlag, ...tenantFlag };
  static override examples = [
    '<%= config.bin %> apps suspend app_4fJ2kQ9xZr7LmN3pT8vWcY',
    '<%= config.bin %> apps suspend app_4fJ2kQ9xZr7LmN3pT8vWcY --yes --json',
  ];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(AppsSuspend);
    if (!flags.yes && this.canAsk && !(await confirm(`Suspend ${String(args['app'])}? Every key that it holds stops working.`))) {
      throw new Failure('cancelled', 'nothing was suspended', { exit: EXIT.usage });
    }
    await this.showApp(suspendApp, { args, flags });
  }
}
