import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { getCategory } from '../../src/contract/admin/categories.ts';

export default operationCommand(getCategory, {
  examples: ['categories get 0197a3c0-2222-7c33-9a51-3f2b9d6c1e70', 'categories get 0197a3c0-2222-7c33-9a51-3f2b9d6c1e70 --json'],
});
