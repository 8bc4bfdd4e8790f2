import { writeFlags } from '../../src/cli/input/request-body.ts';
import { bodyFlags } from '../../src/cli/input/operation-flags.ts';
import { AdminCommand, tenantFlag } from '../../src/cli/base-commands/admin-command.ts';
import { inviteUser } from '../../src/contract/admin/users.ts';

export default class UsersInvite extends AdminCommand {
  static override summary = 'Invite a user';
  static override flags = { ...bodyFlags(inviteUser, { role: 'Role of the user in the tenant.' }), ...writeFlags, ...tenantFlag };
  static override examples = [
    "<%= config.bin %> users invite --email ana@example.com --name 'Ana Reis' --role manager",
    '<%= config.bin %> users invite --email tom@example.com --tenant local',
  ];

  async run(): Promise<void> {
    await this.write(inviteUser, await this.parse(UsersInvite));
  }
}
