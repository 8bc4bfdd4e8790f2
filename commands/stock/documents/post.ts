import { operationCommand } from '../../../src/cli/command/operation-command.ts';
import { actionFlags } from '../../../src/cli/stock/document-actions.ts';
import { postDocument } from '../../../src/cli/stock/post-document.ts';
import { approveStockDocument } from '../../../src/contract/resources/stock-documents.ts';

export default operationCommand(approveStockDocument, {
  summary: 'Submit and approve a draft, posting its stock',
  description:
    'A submitted document is only approved. If a draft cannot be approved, it stays a draft, and the exit code is that of the failure.',
  flags: actionFlags,
  examples: ['stock documents post RC-000003', 'stock documents post RC-000003 --dry-run'],
  run: postDocument,
});
