import { operationCommand } from '../../../src/cli/command/operation-command.ts';
import { updateIngredient } from '../../../src/contract/resources/ingredients.ts';

export default operationCommand(updateIngredient, {
  examples: [
    'items ingredients update KES-HB-250 b1c2d3e4-f5a6-4b7c-8d9e-0f1a2b3c4d5e --quantity 0.3',
    'items ingredients update KES-HB-250 b1c2d3e4-f5a6-4b7c-8d9e-0f1a2b3c4d5e --position 1',
  ],
});
