import { operationCommand } from '../../../src/cli/command/operation-command.ts';
import { getView, sendRequest, toRequestParts } from '../../../src/cli/records/request.ts';
import { printDocument } from '../../../src/cli/stock/document-output.ts';
import { getStockDocument } from '../../../src/contract/resources/stock-documents.ts';
import { Flags } from '@oclif/core';

export default operationCommand(getStockDocument, {
  without: ['include'],
  flags: { lines: Flags.boolean({ description: 'Include the lines; tables have them without it.' }) },
  examples: ['stock documents get RC-000003 --lines', 'stock documents get RC-000003 --columns documentNumber,status,totalCost'],
  async run(context) {
    const { flags, output } = context;
    output.validateView(getView(getStockDocument));
    const hasLines = flags.lines || output.isPlainTable || output.selectsColumn('lines');
    const parts = await toRequestParts({ ...context, flags: hasLines ? { include: 'lines' } : {} }, getStockDocument);
    await printDocument(context, getStockDocument, await sendRequest(context, getStockDocument, parts));
  },
});
