import { ApiCommand } from '../../src/cli/base-commands/api-command.ts';
import { writeFlags } from '../../src/cli/input/request-body.ts';
import { bodyFlags, paramArgs } from '../../src/cli/input/operation-flags.ts';
import { updateItem } from '../../src/contract/resources/items.ts';

export default class ItemsUpdate extends ApiCommand {
  static override summary = 'Update an item';
  static override description = 'Omitted fields are unchanged.';
  static override args = paramArgs(updateItem);
  static override flags = {
    ...bodyFlags(updateItem, {
      mpn: 'Manufacturer part number.',
      supplierCode: "Supplier's code for the item.",
      categoryId: 'Category; see `stockroom categories list`.',
      unitId: 'Unit; see `stockroom units list`.',
      isActive: 'Whether new orders can use it.',
      salePrice: 'Sale price per unit.',
      purchasePrice: 'Purchase price per unit.',
    }),
    ...writeFlags,
  };
  static override examples = [
    '<%= config.bin %> items update KES-HB-250 --sale-price 0.40',
    '<%= config.bin %> items update KES-HB-250 --set notes=null --no-is-active',
  ];

  async run(): Promise<void> {
    await this.write(updateItem, await this.parse(ItemsUpdate));
  }
}
