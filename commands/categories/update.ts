import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { updateCategory } from '../../src/contract/admin/categories.ts';

export default operationCommand(updateCategory, {
  examples: [
    "categories update 0197a3c0-2222-7c33-9a51-3f2b9d6c1e70 --name 'Green coffee'",
    "categories update 0197a3c0-2222-7c33-9a51-3f2b9d6c1e70 --parent-id ''",
  ],
});
