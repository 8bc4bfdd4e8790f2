import { paramArgs } from '../../../src/cli/input/operation-flags.ts';
import { StockDocumentCommand, actionFlags } from '../../../src/cli/base-commands/stock-document-command.ts';
import { submitStockDocument } from '../../../src/contract/resources/stock-documents.ts';

export default class StockDocumentsSubmit extends StockDocumentCommand {
  static override summary = 'Submit a draft for approval';
  static override description = 'Its lines count as committed or incoming stock until it is approved.';
  static override args = paramArgs(submitStockDocument);
  static override flags = { ...actionFlags };
  static override examples = [
    '<%= config.bin %> stock documents submit 0197a3c0-7f20-7d11-8c42-1b6d5e9a2f30',
    '<%= config.bin %> stock documents submit 0197a3c0-7f20-7d11-8c42-1b6d5e9a2f30 --dry-run',
  ];

  async run(): Promise<void> {
    await this.performAction(submitStockDocument, await this.parse(StockDocumentsSubmit));
  }
}
