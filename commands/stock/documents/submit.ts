import { operationCommand } from '../../../src/cli/command/operation-command.ts';
import { actionFlags, performAction } from '../../../src/cli/stock/document-actions.ts';
import { submitStockDocument } from '../../../src/contract/resources/stock-documents.ts';

export default operationCommand(submitStockDocument, {
  flags: actionFlags,
  examples: ['stock documents submit RC-000003', 'stock documents submit RC-000003 --dry-run'],
  run: (context) => performAction(context, submitStockDocument),
});
