import { writeFlags } from '../../src/cli/input/request-body.ts';
import { paramArgs } from '../../src/cli/input/operation-flags.ts';
import { yesFlag } from '../../src/cli/base-commands/service-command.ts';
import { AdminCommand, tenantFlag } from '../../src/cli/base-commands/admin-command.ts';
import { removeUser } from '../../src/contract/admin/users.ts';

export default class UsersRemove extends AdminCommand {
  static override summary = 'Remove a user who has no assigned orders';
  static override args = paramArgs(removeUser);
  static override flags = { ...yesFlag, 'dry-run': writeFlags['dry-run'], ...tenantFlag };
  static override examples = [
    '<%= config.bin %> users remove 0197a3c0-2222-7c33-9a51-3f2b9d6c1e70',
    '<%= config.bin %> users remove 0197a3c0-2222-7c33-9a51-3f2b9d6c1e70 --yes',
  ];

  async run(): Promise<void> {
    await this.remove(removeUser, await this.parse(UsersRemove), 'user');
  }
}
