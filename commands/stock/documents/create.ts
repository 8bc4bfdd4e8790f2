import { writeFlags } from '../../../src/cli/body.ts';
import { bodyFlags } from '../../../src/cli/operation-flags.ts';
import { StockCommand } from '../../../src/cli/stock-command.ts';
import { stockLineFlag } from '../../../src/cli/stock-lines.ts';
import { createStockDocument } from '../../../src/contract/stock-documents.ts';

export default class StockDocumentsCreate extends StockCommand {
  static override summary = 'Create a stock document with its lines, as a draft';
  static override flags = {
    ...bodyFlags(createStockDocument, { type: 'What it does.', reference: 'Such as the number of a delivery note.' }),
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
