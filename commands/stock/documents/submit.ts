import { defineCommand } from '../../../src/cli/command/define-command.ts';
import { paramArgs } from '../../../src/cli/input/operation-flags.ts';
import { apiAccess } from '../../../src/cli/session/api-session.ts';
import { actionFlags, performAction } from '../../../src/cli/stock/document-actions.ts';
import { submitStockDocument } from '../../../src/contract/resources/stock-documents.ts';

export default defineCommand({
  access: apiAccess,
  summary: 'Submit a draft for approval',
  description: 'Its lines count as committed or incoming stock until it is approved.',
  args: paramArgs(submitStockDocument),
  flags: { ...actionFlags },
  examples: ['stock documents submit RC-000003', 'stock documents submit RC-000003 --dry-run'],
  async run(context) {
    await performAction(context, submitStockDocument);
  },
});
