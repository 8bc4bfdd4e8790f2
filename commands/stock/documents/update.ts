import { writeFlags } from '../../../src/cli/input/request-body.ts';
import { bodyFlags, paramArgs } from '../../../src/cli/input/operation-flags.ts';
import { StockDocumentCommand } from '../../../src/cli/base-commands/stock-document-command.ts';
import { updateStockDocument } from '../../../src/contract/resources/stock-documents.ts';

export default class StockDocumentsUpdate extends StockDocumentCommand {
  static override summary = 'Update a draft, or recall a submitted document';
  static override description = 'Omitted fields are unchanged. Change lines with `stockroom stock lines`.';
  static override args = paramArgs(updateStockDocument);
  static override flags = {
    ...bodyFlags(updateStockDocument, { reference: 'External reference such as a delivery note number.' }),
    ...writeFlags,
  };
  static override examples = [
    "<%= config.bin %> stock documents update RC-000003 --reference 'Delivery note 4711'",
    '<%= config.bin %> stock documents update RC-000003 --status draft',
  ];

  async run(): Promise<void> {
    await this.writeDocument(updateStockDocument, await this.parse(StockDocumentsUpdate));
  }
}
