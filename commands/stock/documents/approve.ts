import { paramArgs } from '../../../src/cli/operation-flags.ts';
import { StockCommand, actFlags } from '../../../src/cli/stock-command.ts';
import { approveStockDocument } from '../../../src/contract/stock-documents.ts';

export default class StockDocumentsApprove extends StockCommand {
  static override summary = 'Approve a submitted document: it is posted, and the stock changes';
  static override args = paramArgs(approveStockDocument);
  static override flags = { ...actFlags };
  static override examples = [
    '<%= config.bin %> stock documents approve 0197a3c0-7f20-7d11-8c42-1b6d5e9a2f30 --dry-run',
    '<%= config.bin %> stock documents approve 0197a3c0-7f20-7d11-8c42-1b6d5e9a2f30',
  ];

  async run(): Promise<void> {
    await this.act(approveStockDocument, await this.parse(StockDocumentsApprove));
  }
}
