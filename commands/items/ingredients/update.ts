import { ApiCommand } from '../../../src/cli/base-commands/api-command.ts';
import { writeFlags } from '../../../src/cli/input/request-body.ts';
import { bodyFlags, paramArgs } from '../../../src/cli/input/operation-flags.ts';
import { updateIngredient } from '../../../src/contract/resources/ingredients.ts';

export default class ItemsIngredientsUpdate extends ApiCommand {
  static override summary = 'Update an ingredient';
  static override description = 'Omitted fields are unchanged.';
  static override args = paramArgs(updateIngredient);
  static override flags = { ...bodyFlags(updateIngredient), ...writeFlags };
  static override examples = [
    '<%= config.bin %> items ingredients update KES-HB-250 b1c2d3e4-f5a6-4b7c-8d9e-0f1a2b3c4d5e --quantity 0.3',
    '<%= config.bin %> items ingredients update KES-HB-250 b1c2d3e4-f5a6-4b7c-8d9e-0f1a2b3c4d5e --position 1',
  ];

  async run(): Promise<void> {
    await this.write(updateIngredient, await this.parse(ItemsIngredientsUpdate));
  }
}
