import { ApiCommand } from '../../src/cli/api-command.ts';
import { writeFlags } from '../../src/cli/body.ts';
import { bodyFlags } from '../../src/cli/operation-flags.ts';
import { createItem } from '../../src/contract/items.ts';

export default class ItemsCreate extends ApiCommand {
  static override summary = 'Create an item';
  static override flags = {
    ...bodyFlags(createItem, {
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
    "<%= config.bin %> items create --name 'Hex bolt M6' --sku BOLT-M6 --sale-price 0.35",
    `<%= config.bin %> items create --data '{"name":"Hex bolt M6","itemType":"material"}' -o id`,
  ];

  async run(): Promise<void> {
    await this.write(createItem, await this.parse(ItemsCreate));
  }
}
