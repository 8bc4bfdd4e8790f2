import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { getUser } from '../../src/contract/admin/users.ts';

export default operationCommand(getUser, {
  examples: ['users get 0197a3c0-2222-7c33-9a51-3f2b9d6c1e70', 'users get 0197a3c0-2222-7c33-9a51-3f2b9d6c1e70 --json'],
});
