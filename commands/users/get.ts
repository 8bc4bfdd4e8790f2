import { paramArgs } from '../../src/cli/input/operation-flags.ts';
import { AdminCommand, tenantFlag } from '../../src/cli/base-commands/admin-command.ts';
import { getUser } from '../../src/contract/admin/users.ts';

export default class UsersGet extends AdminCommand {
  static override summary = 'Show a user';
  static override args = paramArgs(getUser);
  static override flags = { ...tenantFlag };
  static override examples = [
    '<%= config.bin %> users get 0197a3c0-2222-7c33-9a51-3f2b9d6c1e70',
    '<%= config.bin %> users get 0197a3c0-2222-7c33-9a51-3f2b9d6c1e70 --json',
  ];

  async run(): Promise<void> {
    await this.show(getUser, await this.parse(UsersGet));
  }
}
