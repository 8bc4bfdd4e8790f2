import { ApiCommand } from '../../../src/cli/base-commands/api-command.ts';
import { writeFlags } from '../../../src/cli/input/request-body.ts';
import { bodyFlags, paramArgs } from '../../../src/cli/input/operation-flags.ts';
import { updateSupplier } from '../../../src/contract/resources/suppliers.ts';

export default class ItemsSuppliersUpdate extends ApiCommand {
  static override summary = 'Update the terms of a supplier link';
  static override description = 'Omitted fields are unchanged.';
  static override args = paramArgs(updateSupplier);
  static override flags = { ...bodyFlags(updateSupplier), ...writeFlags };
  static override examples = [
    '<%= config.bin %> items suppliers update 7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e 2f6b1c9a-5d3e-4a87-b0c4-8e1f2a3b4c5d --purchase-price 298.5',
    '<%= config.bin %> items suppliers update 7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e 2f6b1c9a-5d3e-4a87-b0c4-8e1f2a3b4c5d --is-preferred',
  ];

  async run(): Promise<void> {
    await this.write(updateSupplier, await this.parse(ItemsSuppliersUpdate));
  }
}
