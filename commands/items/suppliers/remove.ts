import { operationCommand } from '../../../src/cli/command/operation-command.ts';
import { deleteSupplier } from '../../../src/contract/resources/suppliers.ts';

export default operationCommand(deleteSupplier, {
  noun: 'supplier link',
  examples: ['items suppliers remove KES-HB-250 ana@example.com', 'items suppliers remove KES-HB-250 ana@example.com --yes'],
});
