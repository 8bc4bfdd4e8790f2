import { operationCommand } from '../../../src/cli/command/operation-command.ts';
import { writeStockLine } from '../../../src/cli/stock/write-stock-line.ts';
import { updateStockLine } from '../../../src/contract/resources/stock-lines.ts';

export default operationCommand(updateStockLine, {
  examples: [
    'stock lines update RC-000003 0197a3c0-7f21-7a55-9e0b-4c8d2a6f1b73 --quantity 6',
    'stock lines update RC-000003 0197a3c0-7f21-7a55-9e0b-4c8d2a6f1b73 --unit-cost 0.12',
  ],
  run: (context) => writeStockLine(context, updateStockLine),
});
