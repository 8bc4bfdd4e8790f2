import { ApiCommand } from '../../src/cli/base-commands/api-command.ts';
import { paramArgs } from '../../src/cli/input/operation-flags.ts';
import { getItem } from '../../src/contract/resources/items.ts';

export default class ItemsGet extends ApiCommand {
  static override summary = 'Show an item';
  static override args = paramArgs(getItem);
  static override examples = ['<%= config.bin %> items get KES-HB-250', '<%= config.bin %> items get KES-HB-250 --json'];

  async run(): Promise<void> {
    await this.show(getItem, await this.parse(ItemsGet));
  }
}
