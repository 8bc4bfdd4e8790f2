import { operationCommand } from '../../../src/cli/command/operation-command.ts';
import { writeStockLine } from '../../../src/cli/stock/write-stock-line.ts';
import { addStockLine } from '../../../src/contract/resources/stock-lines.ts';

export default operationCommand(addStockLine, {
  description: 'With --order-line-id, the item and the quantity default to those that are open in the line of the order.',
  examples: [
    'stock lines add RC-000003 --item-id 7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e --quantity 5',
    'stock lines add RC-000003 --order-line-id 2 --quantity 5',
    'stock lines add RC-000003 --item-id 7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e --counted-quantity 41 --expected-quantity 43',
  ],
  run: (context) => writeStockLine(context, addStockLine),
});
