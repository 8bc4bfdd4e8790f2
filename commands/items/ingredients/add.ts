import { operationCommand } from '../../../src/cli/command/operation-command.ts';
import { createIngredient } from '../../../src/contract/resources/ingredients.ts';

export default operationCommand(createIngredient, {
  examples: [
    'items ingredients add KES-HB-250 --ingredient-item-id RST-ETH --quantity 0.25',
    'items ingredients add KES-HB-250 --ingredient-item-id RST-ETH --quantity 1 --per-quantity 12',
  ],
});
