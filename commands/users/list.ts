import { listFlags } from '../../src/cli/input/operation-flags.ts';
import { AdminCommand, tenantFlag } from '../../src/cli/base-commands/admin-command.ts';
import { listUsers } from '../../src/contract/admin/users.ts';

export default class UsersList extends AdminCommand {
  static override summary = 'List users';
  static override flags = { ...listFlags(listUsers), ...tenantFlag };
  static override examples = ['<%= config.bin %> users list', '<%= config.bin %> users list --role admin,manager --status active'];

  async run(): Promise<void> {
    await this.list(listUsers, await this.parse(UsersList), ['id', 'email', 'name', 'role', 'status', 'updatedAt']);
  }
}
