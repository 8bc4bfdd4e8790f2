import { ApiCommand } from '../../../src/cli/base-commands/api-command.ts';
import { writeFlags } from '../../../src/cli/input/request-body.ts';
import { paramArgs } from '../../../src/cli/input/operation-flags.ts';
import { yesFlag } from '../../../src/cli/base-commands/service-command.ts';
import { deleteSupplier } from '../../../src/contract/resources/suppliers.ts';

export default class ItemsSuppliersRemove extends ApiCommand {
  static override summary = 'Remove a supplier link';
  static override args = paramArgs(deleteSupplier);
  static override flags = { ...yesFlag, 'dry-run': writeFlags['dry-run'] };
  static override examples = [
    '<%= config.bin %> items suppliers remove KES-HB-250 ana@example.com',
    '<%= config.bin %> items suppliers remove KES-HB-250 ana@example.com --yes',
  ];

  async run(): Promise<void> {
    await this.remove(deleteSupplier, await this.parse(ItemsSuppliersRemove), 'supplier link');
  }
}
