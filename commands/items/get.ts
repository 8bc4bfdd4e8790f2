import { ApiCommand } from '../../src/cli/base-commands/api-command.ts';
import { paramArgs } from '../../src/cli/input/operation-flags.ts';
import { getItem } from '../../src/contract/resources/items.ts';

export default class ItemsGet extends ApiCommand {
  static override summary = 'Show an item';
  static override args = paramArgs(getItem);
  static override examples = [
    '<%= config.bin %> items get 7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e',
    '<%= config.bin %> items get 7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e --json',
  ];

  async run(): Promise<void> {
    await this.show(getItem, await this.parse(ItemsGet));
  }
}
