import { ApiCommand } from '../../../src/cli/base-commands/api-command.ts';
import { listFlags, paramArgs } from '../../../src/cli/input/operation-flags.ts';
import { listSuppliers } from '../../../src/contract/resources/suppliers.ts';

export default class ItemsSuppliersList extends ApiCommand {
  static override summary = 'List the suppliers of an item, preferred first';
  static override args = paramArgs(listSuppliers);
  static override flags = { ...listFlags(listSuppliers) };
  static override examples = [
    '<%= config.bin %> items suppliers list KES-HB-250',
    '<%= config.bin %> items suppliers list KES-HB-250 --sort name --json',
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
