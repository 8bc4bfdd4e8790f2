import { writeFlags } from '../../../src/cli/input/request-body.ts';
import { bodyFlags, paramArgs } from '../../../src/cli/input/operation-flags.ts';
import { StockDocumentCommand, actionFlags } from '../../../src/cli/base-commands/stock-document-command.ts';
import { cancelStockDocument } from '../../../src/contract/resources/stock-documents.ts';

export default class StockDocumentsCancel extends StockDocumentCommand {
  static override summary = 'Cancel a stock document';
  static override description = 'An approved document is reversed.';
  static override args = paramArgs(cancelStockDocument);
  static override flags = { ...bodyFlags(cancelStockDocument), ...writeFlags, ...actionFlags };
  static override examples = [
    "<%= config.bin %> stock documents cancel RC-000003 --reason 'Booked twice'",
    '<%= config.bin %> stock documents cancel RC-000003 --dry-run',
  ];

  async run(): Promise<void> {
    await this.performAction(cancelStockDocument, await this.parse(StockDocumentsCancel));
  }
}
