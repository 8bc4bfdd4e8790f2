import { operationCommand } from '../../../src/cli/command/operation-command.ts';
import { writeDocument } from '../../../src/cli/stock/document-actions.ts';
import { updateStockDocument } from '../../../src/contract/resources/stock-documents.ts';

export default operationCommand(updateStockDocument, {
  description: 'Omitted fields are unchanged. Change lines with `stockroom stock lines`.',
  examples: ["stock documents update RC-000003 --reference 'Delivery note 4711'", 'stock documents update RC-000003 --status draft'],
  run: (context) => writeDocument(context, updateStockDocument),
});
