import { operationCommand } from '../../../src/cli/command/operation-command.ts';
import { updateSupplier } from '../../../src/contract/resources/suppliers.ts';

export default operationCommand(updateSupplier, {
  examples: [
    'items suppliers update KES-HB-250 ana@example.com --purchase-price 298.5',
    'items suppliers update KES-HB-250 ana@example.com --is-preferred',
  ],
});
