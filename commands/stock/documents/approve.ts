import { paramArgs } from '../../../src/cli/input/operation-flags.ts';
import { StockDocumentCommand, actionFlags, approvalFlags } from '../../../src/cli/base-commands/stock-document-command.ts';
import { approveStockDocument } from '../../../src/contract/resources/stock-documents.ts';

export default class StockDocumentsApprove extends StockDocumentCommand {
  static override summary = 'Approve a submitted document and post its stock';
  static override args = paramArgs(approveStockDocument);
  static override flags = { ...approvalFlags, ...actionFlags };
  static override examples = [
    '<%= config.bin %> stock documents approve RC-000003 --dry-run',
    '<%= config.bin %> stock documents approve RC-000003',
  ];

  async run(): Promise<void> {
    await this.performAction(approveStockDocument, await this.parse(StockDocumentsApprove));
  }
}
