import { Flags } from '@oclif/core';
import { paramArgs } from '../../../src/cli/operation-flags.ts';
import { viewOf } from '../../../src/cli/service-command.ts';
import { StockCommand } from '../../../src/cli/stock-command.ts';
import { getStockDocument } from '../../../src/contract/stock-documents.ts';

export default class StockDocumentsGet extends StockCommand {
  static override summary = 'Show a stock document';
  static override args = paramArgs(getStockDocument);
  static override flags = { lines: Flags.boolean({ description: 'Also the lines.' }) };
  static override examples = [
    '<%= config.bin %> stock documents get 0197a3c0-7f20-7d11-8c42-1b6d5e9a2f30 --lines',
    '<%= config.bin %> stock documents get 0197a3c0-7f20-7d11-8c42-1b6d5e9a2f30 --columns documentNumber,status,totalCost',
  ];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(StockDocumentsGet);
    this.checked(viewOf(getStockDocument));
    const parts = this.partsOf(getStockDocument, { args, flags: flags.lines ? { include: 'lines' } : {} });
    const client = await this.connect();
    await this.printDocument(getStockDocument, await this.awaiting(client.perform(getStockDocument, parts)), false);
  }
}
