import { writeFlags } from '../../src/cli/input/request-body.ts';
import { bodyFlags, paramArgs } from '../../src/cli/input/operation-flags.ts';
import { AdminCommand, tenantFlag } from '../../src/cli/base-commands/admin-command.ts';
import { updateUser } from '../../src/contract/admin/users.ts';

export default class UsersUpdate extends AdminCommand {
  static override summary = 'Update a user';
  static override description = 'Omitted fields are unchanged.';
  static override args = paramArgs(updateUser);
  static override flags = {
    ...bodyFlags(updateUser, { role: 'Role of the user in the tenant.', email: 'E-mail address; unique within the tenant.' }),
    ...writeFlags,
    ...tenantFlag,
  };
  static override examples = [
    '<%= config.bin %> users update 0197a3c0-2222-7c33-9a51-3f2b9d6c1e70 --status active',
    '<%= config.bin %> users update 0197a3c0-2222-7c33-9a51-3f2b9d6c1e70 --role admin',
  ];

  async run(): Promise<void> {
    await this.write(updateUser, await this.parse(UsersUpdate));
  }
}
