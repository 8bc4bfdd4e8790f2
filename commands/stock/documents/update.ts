import { writeFlags } from '../../../src/cli/body.ts';
import { bodyFlags, paramArgs } from '../../../src/cli/operation-flags.ts';
import { StockCommand } from '../../../src/cli/stock-command.ts';
import { updateStockDocument } from '../../../src/contract/stock-documents.ts';

export default class StockDocumentsUpdate extends StockCommand {
  static override summary = 'Change the head of a draft, or take a submitted document back to draft';
  static override args = paramArgs(updateStockDocument);
  static override flags = {
    ...bodyFlags(updateStockDocument, { reference: 'Such as the number of a delivery note.' }),
    ...writeFlags,
  };
  static override examples = [
    "<%= config.bin %> stock documents update 0197a3c0-7f20-7d11-8c42-1b6d5e9a2f30 --reference 'Delivery note 4711'",
    '<%= config.bin %> stock documents update 0197a3c0-7f20-7d11-8c42-1b6d5e9a2f30 --status draft',
  ];

  async run(): Promise<void> {
    await this.writeDocument(updateStockDocument, await this.parse(StockDocumentsUpdate));
  }
}
