import { operationCommand } from '../../../src/cli/command/operation-command.ts';
import { deleteStockDocument } from '../../../src/contract/resources/stock-documents.ts';

export default operationCommand(deleteStockDocument, {
  noun: 'stock document',
  examples: ['stock documents delete RC-000003', 'stock documents delete RC-000003 --yes'],
});
