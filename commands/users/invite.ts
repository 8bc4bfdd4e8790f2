import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { inviteUser } from '../../src/contract/admin/users.ts';

export default operationCommand(inviteUser, {
  examples: [
    "users invite --email ana@example.com --name 'Ana Reis' --role manager",
    'users invite --email tom@example.com --tenant local',
  ],
});
