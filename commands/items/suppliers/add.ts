import { operationCommand } from '../../../src/cli/command/operation-command.ts';
import { createSupplier } from '../../../src/contract/resources/suppliers.ts';

export default operationCommand(createSupplier, {
  examples: [
    'items suppliers add KES-HB-250 --supplier-id ana@example.com --purchase-price 312',
    'items suppliers add KES-HB-250 --supplier-id ana@example.com --units-per-purchase-unit 60 --lead-time-days 14',
  ],
});
