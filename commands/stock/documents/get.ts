import { Flags } from '@oclif/core';
import { paramArgs } from '../../../src/cli/input/operation-flags.ts';
import { getView } from '../../../src/cli/base-commands/service-command.ts';
import { StockDocumentCommand } from '../../../src/cli/base-commands/stock-document-command.ts';
import { getStockDocument } from '../../../src/contract/resources/stock-documents.ts';

export default class StockDocumentsGet extends StockDocumentCommand {
  static override summary = 'Show a stock document';
  static override args = paramArgs(getStockDocument);
  static override flags = { lines: Flags.boolean({ description: 'Include the lines.' }) };
  static override examples = [
    '<%= config.bin %> stock documents get RC-000003 --lines',
    '<%= config.bin %> stock documents get RC-000003 --columns documentNumber,status,totalCost',
  ];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(StockDocumentsGet);
    this.validateOutput(getView(getStockDocument));
    const parts = await this.toRequestParts(getStockDocument, { args, flags: flags.lines ? { include: 'lines' } : {} });
    const client = await this.connect();
    await this.printDocument(getStockDocument, await this.withWaitIndicator(client.perform(getStockDocument, parts)), false);
  }
}
