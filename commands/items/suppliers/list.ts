import { ApiCommand } from '../../../src/cli/base-commands/api-command.ts';
import { listFlags, paramArgs } from '../../../src/cli/input/operation-flags.ts';
import { listSuppliers } from '../../../src/contract/resources/suppliers.ts';

export default class ItemsSuppliersList extends ApiCommand {
  static override summary = 'List the suppliers of an item, preferred first';
  static override args = paramArgs(listSuppliers);
  static override flags = { ...listFlags(listSuppliers) };
  static override examples = [
    '<%= config.bin %> items suppliers list 7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e',
    '<%= config.bin %> items suppliers list 7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e --sort name --json',
  ];

  async run(): Promise<void> {
    await this.list(listSuppliers, await this.parse(ItemsSuppliersList), [
      'supplierId',
      'supplier.name',
      'purchasePrice',
      'isPreferred',
      'leadTimeDays',
      'supplierCode',
      'unitsPerPurchaseUnit',
      'minOrderQuantity',
    ]);
  }
}
