import { defineCommand } from '../../../src/cli/command/define-command.ts';
import { paramArgs } from '../../../src/cli/input/operation-flags.ts';
import { apiAccess } from '../../../src/cli/session/api-session.ts';
import { actionFlags, approvalFlags, performAction } from '../../../src/cli/stock/document-actions.ts';
import { approveStockDocument } from '../../../src/contract/resources/stock-documents.ts';

export default defineCommand({
  access: apiAccess,
  summary: 'Approve a submitted document and post its stock',
  args: paramArgs(approveStockDocument),
  flags: { ...approvalFlags, ...actionFlags },
  examples: ['stock documents approve RC-000003 --dry-run', 'stock documents approve RC-000003'],
  async run(context) {
    await performAction(context, approveStockDocument);
  },
});
