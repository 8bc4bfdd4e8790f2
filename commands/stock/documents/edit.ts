import { editCommand } from '../../../src/cli/command/edit-command.ts';
import { getStockDocument, updateStockDocument } from '../../../src/contract/resources/stock-documents.ts';

export default editCommand(getStockDocument, updateStockDocument, [
  'stock documents edit RC-000003',
  'stock documents edit RC-000003 --dry-run',
]);
