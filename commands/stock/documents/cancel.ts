import { operationCommand } from '../../../src/cli/command/operation-command.ts';
import { actionFlags, noteReopenedOrder, performAction } from '../../../src/cli/stock/document-actions.ts';
import { cancelStockDocument } from '../../../src/contract/resources/stock-documents.ts';

export default operationCommand(cancelStockDocument, {
  flags: actionFlags,
  examples: ["stock documents cancel RC-000003 --reason 'Booked twice'", 'stock documents cancel RC-000003 --dry-run'],
  async run(context) {
    await noteReopenedOrder(context, await performAction(context, cancelStockDocument));
  },
});
