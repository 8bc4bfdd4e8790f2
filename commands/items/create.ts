import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { createItem } from '../../src/contract/resources/items.ts';

export default operationCommand(createItem, {
  examples: [
    "items create --name 'Hex bolt M6' --sku BOLT-M6 --sale-price 0.35",
    `items create --data '{"name":"Hex bolt M6","itemType":"material"}' -o id`,
  ],
});
