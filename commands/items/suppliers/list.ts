import { operationCommand } from '../../../src/cli/command/operation-command.ts';
import { listSuppliers } from '../../../src/contract/resources/suppliers.ts';

export default operationCommand(listSuppliers, {
  columns: [
    'supplierId',
    'supplier.name',
    'purchasePrice',
    'isPreferred',
    'leadTimeDays',
    'supplierCode',
    'unitsPerPurchaseUnit',
    'minOrderQuantity',
  ],
  examples: ['items suppliers list KES-HB-250', 'items suppliers list KES-HB-250 --sort name --json'],
});
