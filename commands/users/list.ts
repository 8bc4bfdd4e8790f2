import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { listUsers } from '../../src/contract/admin/users.ts';

export default operationCommand(listUsers, {
  columns: ['id', 'email', 'name', 'role', 'status', 'updatedAt'],
  examples: ['users list', 'users list --role admin,manager --status active'],
});
