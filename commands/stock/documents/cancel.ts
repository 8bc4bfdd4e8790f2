import { defineCommand } from '../../../src/cli/command/define-command.ts';
import { bodyFlags, paramArgs } from '../../../src/cli/input/operation-flags.ts';
import { writeFlags } from '../../../src/cli/input/request-body.ts';
import { apiAccess } from '../../../src/cli/session/api-session.ts';
import { actionFlags, performAction } from '../../../src/cli/stock/document-actions.ts';
import { cancelStockDocument } from '../../../src/contract/resources/stock-documents.ts';

export default defineCommand({
  access: apiAccess,
  summary: 'Cancel a stock document',
  description: 'An approved document is reversed.',
  args: paramArgs(cancelStockDocument),
  flags: { ...bodyFlags(cancelStockDocument), ...writeFlags, ...actionFlags },
  examples: ["stock documents cancel RC-000003 --reason 'Booked twice'", 'stock documents cancel RC-000003 --dry-run'],
  async run(context) {
    await performAction(context, cancelStockDocument);
  },
});
