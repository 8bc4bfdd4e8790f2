import { ApiCommand } from '../../../src/cli/base-commands/api-command.ts';
import { writeFlags } from '../../../src/cli/input/request-body.ts';
import { bodyFlags, paramArgs } from '../../../src/cli/input/operation-flags.ts';
import { createSupplier } from '../../../src/contract/resources/suppliers.ts';

export default class ItemsSuppliersAdd extends ApiCommand {
  static override summary = 'Link a supplier to an item';
  static override args = paramArgs(createSupplier);
  static override flags = { ...bodyFlags(createSupplier), ...writeFlags };
  static override examples = [
    '<%= config.bin %> items suppliers add KES-HB-250 --supplier-id ana@example.com --purchase-price 312',
    '<%= config.bin %> items suppliers add KES-HB-250 --supplier-id ana@example.com --units-per-purchase-unit 60 --lead-time-days 14',
  ];

  async run(): Promise<void> {
    await this.write(createSupplier, await this.parse(ItemsSuppliersAdd));
  }
}
