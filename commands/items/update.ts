import { ApiCommand } from '../../src/cli/api-command.ts';
import { writeFlags } from '../../src/cli/body.ts';
import { bodyFlags, paramArgs } from '../../src/cli/operation-flags.ts';
import { updateItem } from '../../src/contract/items.ts';

export default class ItemsUpdate extends ApiCommand {
  static override summary = 'Change an item; what is not named stays as it is';
  static override args = paramArgs(updateItem);
  static override flags = {
    ...bodyFlags(updateItem, {
      mpn: 'Part number of the manufacturer.',
      supplierCode: 'What the supplier calls it.',
      categoryId: 'A category; `stockroom categories list` shows them.',
      unitId: 'A unit; `stockroom units list` shows them.',
      isActive: 'Whether new orders may use it.',
      salePrice: 'Per unit.',
      purchasePrice: 'Per unit.',
    }),
    ...writeFlags,
  };
  static override examples = [
    '<%= config.bin %> items update 7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e --sale-price 0.40',
    '<%= config.bin %> items update 7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e --set notes=null --no-is-active',
  ];

  async run(): Promise<void> {
    await this.write(updateItem, await this.parse(ItemsUpdate));
  }
}
