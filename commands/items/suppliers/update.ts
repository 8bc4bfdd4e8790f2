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
    '<%= config.bin %> items suppliers update KES-HB-250 ana@example.com --purchase-price 298.5',
    '<%= config.bin %> items suppliers update KES-HB-250 ana@example.com --is-preferred',
  ];

  async run(): Promise<void> {
    await this.write(updateSupplier, await this.parse(ItemsSuppliersUpdate));
  }
}
