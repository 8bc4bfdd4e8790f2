import { defineCommand } from '../../../src/cli/command/define-command.ts';
import { bodyFlags, paramArgs } from '../../../src/cli/input/operation-flags.ts';
import { writeFlags } from '../../../src/cli/input/request-body.ts';
import { apiAccess } from '../../../src/cli/session/api-session.ts';
import { writeDocument } from '../../../src/cli/stock/document-actions.ts';
import { updateStockDocument } from '../../../src/contract/resources/stock-documents.ts';

export default defineCommand({
  access: apiAccess,
  summary: 'Update a draft, or recall a submitted document',
  description: 'Omitted fields are unchanged. Change lines with `stockroom stock lines`.',
  args: paramArgs(updateStockDocument),
  flags: {
    ...bodyFlags(updateStockDocument),
    ...writeFlags,
  },
  examples: ["stock documents update RC-000003 --reference 'Delivery note 4711'", 'stock documents update RC-000003 --status draft'],
  async run(context) {
    await writeDocument(context, updateStockDocument);
  },
});
