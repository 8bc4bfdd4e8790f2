import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { listItems } from '../../src/contract/resources/items.ts';

export default operationCommand(listItems, {
  columns: ['id', 'name', 'sku', 'salePrice', 'itemType', 'supplier.name', 'category.name', 'isActive', 'updatedAt'],
  examples: ['items list --search bolt', 'items list --item-type product,combo --sort -updated_at --all -o csv'],
});
