import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { deleteItem } from '../../src/contract/resources/items.ts';

export default operationCommand(deleteItem, {
  examples: ['items delete KES-HB-250', 'items delete KES-HB-250 KES-CE-1K --yes'],
});
