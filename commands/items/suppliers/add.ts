import { ApiCommand } from '../../../src/cli/base-commands/api-command.ts';
import { writeFlags } from '../../../src/cli/input/request-body.ts';
import { bodyFlags, paramArgs } from '../../../src/cli/input/operation-flags.ts';
import { createSupplier } from '../../../src/contract/resources/suppliers.ts';

export default class ItemsSuppliersAdd extends ApiCommand {
  static override summary = 'Link a supplier to an item';
  static override args = paramArgs(createSupplier);
  static override flags = { ...bodyFlags(createSupplier), ...writeFlags };
  static override examples = [
    '<%= config.bin %> items suppliers add 7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e --supplier-id 2f6b1c9a-5d3e-4a87-b0c4-8e1f2a3b4c5d --purchase-price 312',
    '<%= config.bin %> items suppliers add 7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e --supplier-id 2f6b1c9a-5d3e-4a87-b0c4-8e1f2a3b4c5d --units-per-purchase-unit 60 --lead-time-days 14',
  ];

  async run(): Promise<void> {
    await this.write(createSupplier, await this.parse(ItemsSuppliersAdd));
  }
}
