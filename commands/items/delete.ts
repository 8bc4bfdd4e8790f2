import { ApiCommand } from '../../src/cli/base-commands/api-command.ts';
import { writeFlags } from '../../src/cli/input/request-body.ts';
import { paramArgs } from '../../src/cli/input/operation-flags.ts';
import { yesFlag } from '../../src/cli/base-commands/service-command.ts';
import { deleteItem } from '../../src/contract/resources/items.ts';

export default class ItemsDelete extends ApiCommand {
  static override summary = 'Delete an unused item';
  /** Takes several ids. */
  static override strict = false;
  static override args = paramArgs(deleteItem);
  static override flags = { ...yesFlag, 'dry-run': writeFlags['dry-run'] };
  static override examples = ['<%= config.bin %> items delete KES-HB-250', '<%= config.bin %> items delete KES-HB-250 KES-CE-1K --yes'];

  async run(): Promise<void> {
    await this.remove(deleteItem, await this.parse(ItemsDelete), 'item');
  }
}
