import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { getItem } from '../../src/contract/resources/items.ts';

export default operationCommand(getItem, {
  examples: ['items get KES-HB-250', 'items get KES-HB-250 --json'],
});
