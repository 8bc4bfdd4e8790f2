import { ApiCommand } from '../../src/cli/base-commands/api-command.ts';
import { listFlags } from '../../src/cli/input/operation-flags.ts';
import { listItems } from '../../src/contract/resources/items.ts';

export default class ItemsList extends ApiCommand {
  static override summary = 'List items';
  static override flags = { ...listFlags(listItems) };
  static override examples = [
    '<%= config.bin %> items list --search bolt',
    '<%= config.bin %> items list --item-type product,combo --sort -updated_at --all -o csv',
  ];

  async run(): Promise<void> {
    await this.list(listItems, await this.parse(ItemsList), [
      'id',
      'name',
      'sku',
      'salePrice',
      'itemType',
      'supplier.name',
      'category.name',
      'isActive',
      'updatedAt',
    ]);
  }
}
