import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { putItem } from '../../src/contract/resources/items.ts';

export default operationCommand(putItem, {
  examples: [
    "items put shop-4711 --name 'Hex bolt M6' --sale-price 0.40",
    "items put shop-4711 --name 'Hex bolt M6' --metadata channel=web",
  ],
});
