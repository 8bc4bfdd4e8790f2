import { operationCommand } from '../../../src/cli/command/operation-command.ts';
import { listStockMovements } from '../../../src/contract/resources/stock-movements.ts';

export default operationCommand(listStockMovements, {
  columns: [
    'postedAt',
    'type',
    'document.documentNumber',
    'item.name',
    'item.sku',
    'site.name',
    'quantity',
    'onHandAfter',
    'unit.symbol',
    'order.orderNumber',
    'unitCost',
    'value',
    'stockValueAfter',
    'revaluation',
    'sequence',
  ],
  hiddenIfEmpty: ['order.orderNumber', 'revaluation'],
  examples: ['stock movements list --item-id KES-HB-250 --since 30d', 'stock movements list --type issue --all --sort sequence -o csv'],
});
