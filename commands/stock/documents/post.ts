import { paramArgs } from '../../../src/cli/input/operation-flags.ts';
import { StockDocumentCommand, actionFlags, approvalFlags } from '../../../src/cli/base-commands/stock-document-command.ts';
import { approveStockDocument } from '../../../src/contract/resources/stock-documents.ts';

export default class StockDocumentsPost extends StockDocumentCommand {
  static override summary = 'Submit and approve a draft, posting its stock';
  static override description =
    'A submitted document is only approved. If approval fails, the document stays submitted and the exit code is that of the failure.';
  static override args = paramArgs(approveStockDocument);
  static override flags = { ...approvalFlags, ...actionFlags };
  static override examples = [
    '<%= config.bin %> stock documents post RC-000003',
    '<%= config.bin %> stock documents post RC-000003 --dry-run',
  ];

  async run(): Promise<void> {
    await this.postDocument(await this.parse(StockDocumentsPost));
  }
}
