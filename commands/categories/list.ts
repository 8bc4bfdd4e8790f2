import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { listCategories } from '../../src/contract/admin/categories.ts';

export default operationCommand(listCategories, {
  columns: ['id', 'name', 'parentId', 'isActive', 'updatedAt'],
  examples: ['categories list', 'categories list --search a --json'],
});
