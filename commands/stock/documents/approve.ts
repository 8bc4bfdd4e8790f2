import { operationCommand } from '../../../src/cli/command/operation-command.ts';
import { actionFlags, performAction } from '../../../src/cli/stock/document-actions.ts';
import { approveStockDocument } from '../../../src/contract/resources/stock-documents.ts';

export default operationCommand(approveStockDocument, {
  flags: actionFlags,
  examples: ['stock documents approve RC-000003 --dry-run', 'stock documents approve RC-000003'],
  run: (context) => performAction(context, approveStockDocument),
});
