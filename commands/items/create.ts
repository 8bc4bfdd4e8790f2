import { ApiCommand } from '../../src/cli/base-commands/api-command.ts';
import { writeFlags } from '../../src/cli/input/request-body.ts';
import { bodyFlags } from '../../src/cli/input/operation-flags.ts';
import { createItem } from '../../src/contract/resources/items.ts';

export default class ItemsCreate extends ApiCommand {
  static override summary = 'Create an item';
  static override flags = {
    ...bodyFlags(createItem, {
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
    "<%= config.bin %> items create --name 'Hex bolt M6' --sku BOLT-M6 --sale-price 0.35",
    `<%= config.bin %> items create --data '{"name":"Hex bolt M6","itemType":"material"}' -o id`,
  ];

  async run(): Promise<void> {
    await this.write(createItem, await this.parse(ItemsCreate));
  }
}
