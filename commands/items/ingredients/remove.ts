import { operationCommand } from '../../../src/cli/command/operation-command.ts';
import { deleteIngredient } from '../../../src/contract/resources/ingredients.ts';

export default operationCommand(deleteIngredient, {
  noun: 'ingredient',
  examples: [
    'items ingredients remove KES-HB-250 b1c2d3e4-f5a6-4b7c-8d9e-0f1a2b3c4d5e',
    'items ingredients remove KES-HB-250 b1c2d3e4-f5a6-4b7c-8d9e-0f1a2b3c4d5e --yes',
  ],
});
