import { writeFlags } from '../../../src/cli/body.ts';
import { bodyFlags, paramArgs } from '../../../src/cli/operation-flags.ts';
import { StockCommand, actFlags } from '../../../src/cli/stock-command.ts';
import { cancelStockDocument } from '../../../src/contract/stock-documents.ts';

export default class StockDocumentsCancel extends StockCommand {
  static override summary = 'Cancel a document; what an approved one posted is reversed';
  static override args = paramArgs(cancelStockDocument);
  static override flags = { ...bodyFlags(cancelStockDocument), ...writeFlags, ...actFlags };
  static override examples = [
    "<%= config.bin %> stock documents cancel 0197a3c0-7f20-7d11-8c42-1b6d5e9a2f30 --reason 'Booked twice'",
    '<%= config.bin %> stock documents cancel 0197a3c0-7f20-7d11-8c42-1b6d5e9a2f30 --dry-run',
  ];

  async run(): Promise<void> {
    await this.act(cancelStockDocument, await this.parse(StockDocumentsCancel));
  }
}
