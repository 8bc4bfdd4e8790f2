import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { updateItem } from '../../src/contract/resources/items.ts';

export default operationCommand(updateItem, {
  examples: ['items update KES-HB-250 --sale-price 0.40', 'items update KES-HB-250 --set notes=null --no-is-active'],
});
