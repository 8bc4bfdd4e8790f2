import { paramArgs } from '../../../src/cli/input/operation-flags.ts';
import { StockDocumentCommand, actionFlags } from '../../../src/cli/base-commands/stock-document-command.ts';
import { submitStockDocument } from '../../../src/contract/resources/stock-documents.ts';

export default class StockDocumentsSubmit extends StockDocumentCommand {
  static override summary = 'Submit a draft for approval';
  static override description = 'Its lines count as committed or incoming stock until it is approved.';
  static override args = paramArgs(submitStockDocument);
  static override flags = { ...actionFlags };
  static override examples = [
    '<%= config.bin %> stock documents submit RC-000003',
    '<%= config.bin %> stock documents submit RC-000003 --dry-run',
  ];

  async run(): Promise<void> {
    await this.performAction(submitStockDocument, await this.parse(StockDocumentsSubmit));
  }
}
