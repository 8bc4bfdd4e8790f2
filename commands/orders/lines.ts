import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { listOrderLines } from '../../src/contract/resources/order-lines.ts';
import { LINE_COLUMNS } from '../../src/cli/orders/order-commands.ts';

export default operationCommand(listOrderLines, {
  columns: LINE_COLUMNS,
  examples: ['orders lines SO-000012', 'orders lines SO-000012 --all -o ndjson'],
});
