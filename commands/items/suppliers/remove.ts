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
    '<%= config.bin %> items suppliers remove 7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e 2f6b1c9a-5d3e-4a87-b0c4-8e1f2a3b4c5d',
    '<%= config.bin %> items suppliers remove 7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e 2f6b1c9a-5d3e-4a87-b0c4-8e1f2a3b4c5d --yes',
  ];

  async run(): Promise<void> {
    await this.remove(deleteSupplier, await this.parse(ItemsSuppliersRemove), 'supplier link');
  }
}
