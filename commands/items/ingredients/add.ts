import { ApiCommand } from '../../../src/cli/base-commands/api-command.ts';
import { writeFlags } from '../../../src/cli/input/request-body.ts';
import { bodyFlags, paramArgs } from '../../../src/cli/input/operation-flags.ts';
import { createIngredient } from '../../../src/contract/resources/ingredients.ts';

export default class ItemsIngredientsAdd extends ApiCommand {
  static override summary = 'Add an ingredient to a product or combo';
  static override args = paramArgs(createIngredient);
  static override flags = { ...bodyFlags(createIngredient), ...writeFlags };
  static override examples = [
    '<%= config.bin %> items ingredients add KES-HB-250 --ingredient-item-id RST-ETH --quantity 0.25',
    '<%= config.bin %> items ingredients add KES-HB-250 --ingredient-item-id RST-ETH --quantity 1 --per-quantity 12',
  ];

  async run(): Promise<void> {
    await this.write(createIngredient, await this.parse(ItemsIngredientsAdd));
  }
}
