import { operationCommand } from '../../../src/cli/command/operation-command.ts';
import { listReorderPoints } from '../../../src/contract/resources/reorder.ts';

export default operationCommand(listReorderPoints, {
  columns: ['item.name', 'item.sku', 'site.name', 'reorderPoint', 'projected', 'unit.symbol', 'isLow', 'updatedAt'],
  examples: ['stock levels points', 'stock levels points --item-id KES-HB-250 --json'],
});
