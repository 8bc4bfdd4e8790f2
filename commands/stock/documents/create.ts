import { writeFlags } from '../../../src/cli/input/request-body.ts';
import { bodyFlags } from '../../../src/cli/input/operation-flags.ts';
import { StockDocumentCommand } from '../../../src/cli/base-commands/stock-document-command.ts';
import { stockLineFlag } from '../../../src/cli/input/line-flag.ts';
import { createStockDocument } from '../../../src/contract/resources/stock-documents.ts';

export default class StockDocumentsCreate extends StockDocumentCommand {
  static override summary = 'Create a draft stock document with its lines';
  static override flags = {
    ...bodyFlags(createStockDocument, { type: 'Type of the document.', reference: 'External reference such as a delivery note number.' }),
    ...stockLineFlag,
    ...writeFlags,
  };
  static override examples = [
    '<%= config.bin %> stock documents create --type receipt --line GRN-ETH:60@8.40 --line PKG-BAG-250:500@0.12',
    '<%= config.bin %> stock documents create --type adjustment --reason damaged --line 7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e:-2',
    '<%= config.bin %> stock documents create --type count --line KES-HB-250:41 -o id',
    '<%= config.bin %> stock documents create --data - < document.json',
  ];

  async run(): Promise<void> {
    await this.writeDocument(createStockDocument, await this.parse(StockDocumentsCreate));
  }
}
