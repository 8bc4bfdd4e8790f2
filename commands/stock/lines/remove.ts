import { operationCommand } from '../../../src/cli/command/operation-command.ts';
import { removeStockLine } from '../../../src/contract/resources/stock-lines.ts';

export default operationCommand(removeStockLine, {
  noun: 'stock line',
  examples: [
    'stock lines remove RC-000003 0197a3c0-7f21-7a55-9e0b-4c8d2a6f1b73',
    'stock lines remove RC-000003 0197a3c0-7f21-7a55-9e0b-4c8d2a6f1b73 --yes',
  ],
});
