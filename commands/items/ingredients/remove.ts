import { ApiCommand } from '../../../src/cli/base-commands/api-command.ts';
import { writeFlags } from '../../../src/cli/input/request-body.ts';
import { paramArgs } from '../../../src/cli/input/operation-flags.ts';
import { yesFlag } from '../../../src/cli/base-commands/service-command.ts';
import { deleteIngredient } from '../../../src/contract/resources/ingredients.ts';

export default class ItemsIngredientsRemove extends ApiCommand {
  static override summary = 'Remove an ingredient';
  static override args = paramArgs(deleteIngredient);
  static override flags = { ...yesFlag, 'dry-run': writeFlags['dry-run'] };
  static override examples = [
    '<%= config.bin %> items ingredients remove KES-HB-250 b1c2d3e4-f5a6-4b7c-8d9e-0f1a2b3c4d5e',
    '<%= config.bin %> items ingredients remove KES-HB-250 b1c2d3e4-f5a6-4b7c-8d9e-0f1a2b3c4d5e --yes',
  ];

  async run(): Promise<void> {
    await this.remove(deleteIngredient, await this.parse(ItemsIngredientsRemove), 'ingredient');
  }
}
