import { operationCommand } from '../../../src/cli/command/operation-command.ts';
import { listStockLines } from '../../../src/contract/resources/stock-lines.ts';
import { LINE_COLUMNS } from '../../../src/cli/stock/document-output.ts';

export default operationCommand(listStockLines, {
  columns: LINE_COLUMNS,
  hiddenIfEmpty: LINE_COLUMNS,
  examples: ['stock lines list RC-000003', 'stock lines list RC-000003 --columns item.name,postedQuantity,onHandAfter'],
});
