import { defineCommand } from '../../../src/cli/command/define-command.ts';
import { paramArgs } from '../../../src/cli/input/operation-flags.ts';
import { apiAccess } from '../../../src/cli/session/api-session.ts';
import { actionFlags, approvalFlags, postDocument } from '../../../src/cli/stock/document-actions.ts';
import { approveStockDocument } from '../../../src/contract/resources/stock-documents.ts';

export default defineCommand({
  access: apiAccess,
  summary: 'Submit and approve a draft, posting its stock',
  description:
    'A submitted document is only approved. If approval fails, the document stays submitted and the exit code is that of the failure.',
  args: paramArgs(approveStockDocument),
  flags: { ...approvalFlags, ...actionFlags },
  examples: ['stock documents post RC-000003', 'stock documents post RC-000003 --dry-run'],
  async run(context) {
    await postDocument(context);
  },
});
