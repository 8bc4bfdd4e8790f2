import { paramArgs } from '../../../src/cli/operation-flags.ts';
import { StockCommand, actFlags } from '../../../src/cli/stock-command.ts';
import { submitStockDocument } from '../../../src/contract/stock-documents.ts';

export default class StockDocumentsSubmit extends StockCommand {
  static override summary = 'Submit a draft: its lines count as committed or incoming, and it waits to be approved';
  static override args = paramArgs(submitStockDocument);
  static override flags = { ...actFlags };
  static override examples = [
    '<%= config.bin %> stock documents submit 0197a3c0-7f20-7d11-8c42-1b6d5e9a2f30',
    '<%= config.bin %> stock documents submit 0197a3c0-7f20-7d11-8c42-1b6d5e9a2f30 --dry-run',
  ];

  async run(): Promise<void> {
    await this.act(submitStockDocument, await this.parse(StockDocumentsSubmit));
  }
}
