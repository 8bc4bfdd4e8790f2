import { operationCommand } from '../../../src/cli/command/operation-command.ts';
import { withWaitIndicator } from '../../../src/cli/output/wait-indicator.ts';
import { getView, toRequestParts } from '../../../src/cli/records/request.ts';
import { printDocument } from '../../../src/cli/stock/document-output.ts';
import { getStockDocument } from '../../../src/contract/resources/stock-documents.ts';
import { Flags } from '@oclif/core';

export default operationCommand(getStockDocument, {
  without: ['include'],
  flags: { lines: Flags.boolean({ description: 'Include the lines; tables have them without it.' }) },
  examples: ['stock documents get RC-000003 --lines', 'stock documents get RC-000003 --columns documentNumber,status,totalCost'],
  async run(context) {
    const { flags, output, session } = context;
    output.validateView(getView(getStockDocument));
    const hasLines = flags.lines || output.isPlainTable || output.selectsColumn('lines');
    const parts = await toRequestParts({ ...context, flags: hasLines ? { include: 'lines' } : {} }, getStockDocument);
    const client = await session.connect();
    await printDocument(context, getStockDocument, await withWaitIndicator(client.perform(getStockDocument, parts)));
  },
});
