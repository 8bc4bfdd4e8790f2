import { ApiCommand } from '../../../src/cli/base-commands/api-command.ts';
import { listFlags, paramArgs } from '../../../src/cli/input/operation-flags.ts';
import { listIngredients } from '../../../src/contract/resources/ingredients.ts';

export default class ItemsIngredientsList extends ApiCommand {
  static override summary = 'List the ingredients of an item';
  static override args = paramArgs(listIngredients);
  static override flags = { ...listFlags(listIngredients) };
  static override examples = [
    '<%= config.bin %> items ingredients list KES-HB-250',
    '<%= config.bin %> items ingredients list KES-HB-250 --columns ingredient.name,quantity,unit.symbol',
  ];

  async run(): Promise<void> {
    await this.list(listIngredients, await this.parse(ItemsIngredientsList), [
      'id',
      'ingredient.name',
      'quantity',
      'unit.symbol',
      'perQuantity',
      'wastePercent',
      'position',
      'ingredient.sku',
    ]);
  }
}
