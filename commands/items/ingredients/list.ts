import { operationCommand } from '../../../src/cli/command/operation-command.ts';
import { listIngredients } from '../../../src/contract/resources/ingredients.ts';

export default operationCommand(listIngredients, {
  columns: ['id', 'ingredient.name', 'quantity', 'unit.symbol', 'perQuantity', 'wastePercent', 'position', 'ingredient.sku'],
  examples: ['items ingredients list KES-HB-250', 'items ingredients list KES-HB-250 --columns ingredient.name,quantity,unit.symbol'],
});
