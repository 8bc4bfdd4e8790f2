import { ApiCommand } from '../../../src/cli/base-commands/api-command.ts';
import { writeFlags } from '../../../src/cli/input/request-body.ts';
import { bodyFlags, paramArgs } from '../../../src/cli/input/operation-flags.ts';
import { createIngredient } from '../../../src/contract/resources/ingredients.ts';

export default class ItemsIngredientsAdd extends ApiCommand {
  static override summary = 'Add an ingredient to a product or combo';
  static override args = paramArgs(createIngredient);
  static override flags = { ...bodyFlags(createIngredient), ...writeFlags };
  static override examples = [
    '<%= config.bin %> items ingredients add 7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e --ingredient-item-id 0a1b2c3d-4e5f-4a6b-9c7d-8e9f0a1b2c3d --quantity 0.25',
    '<%= config.bin %> items ingredients add 7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e --ingredient-item-id 0a1b2c3d-4e5f-4a6b-9c7d-8e9f0a1b2c3d --quantity 1 --per-quantity 12',
  ];

  async run(): Promise<void> {
    await this.write(createIngredient, await this.parse(ItemsIngredientsAdd));
  }
}
