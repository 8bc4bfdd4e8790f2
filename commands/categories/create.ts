import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { createCategory } from '../../src/contract/admin/categories.ts';

export default operationCommand(createCategory, {
  examples: [
    "categories create --name 'Roasted coffee'",
    'categories create --name Espresso --parent-id 0197a3c0-2222-7c33-9a51-3f2b9d6c1e70',
  ],
});
