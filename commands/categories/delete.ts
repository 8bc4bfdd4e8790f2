import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { deleteCategory } from '../../src/contract/admin/categories.ts';

export default operationCommand(deleteCategory, {
  noun: 'category',
  examples: ['categories delete 0197a3c0-2222-7c33-9a51-3f2b9d6c1e70', 'categories delete 0197a3c0-2222-7c33-9a51-3f2b9d6c1e70 --yes'],
});
