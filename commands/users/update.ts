import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { updateUser } from '../../src/contract/admin/users.ts';

export default operationCommand(updateUser, {
  examples: [
    'users update 0197a3c0-2222-7c33-9a51-3f2b9d6c1e70 --status active',
    'users update 0197a3c0-2222-7c33-9a51-3f2b9d6c1e70 --role admin',
  ],
});
