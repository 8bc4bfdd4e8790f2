import { editCommand } from '../../src/cli/command/edit-command.ts';
import { getUser, updateUser } from '../../src/contract/admin/users.ts';

export default editCommand(getUser, updateUser, ['users edit ana@example.com', 'users edit ana@example.com --dry-run']);
