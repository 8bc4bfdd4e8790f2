import { ApiCommand } from '../../../src/cli/base-commands/api-command.ts';
import { listFlags, paramArgs } from '../../../src/cli/input/operation-flags.ts';
import { LINE_COLUMNS } from '../../../src/cli/base-commands/stock-document-command.ts';
import { listStockLines } from '../../../src/contract/resources/stock-lines.ts';

export default class StockLinesList extends ApiCommand {
  static override summary = 'List the lines of a stock document';
  static override args = paramArgs(listStockLines);
  static override flags = { ...listFlags(listStockLines) };
  static override examples = [
    '<%= config.bin %> stock lines list RC-000003',
    '<%= config.bin %> stock lines list RC-000003 --columns item.name,postedQuantity,onHandAfter',
  ];

  async run(): Promise<void> {
    await this.list(listStockLines, await this.parse(StockLinesList), LINE_COLUMNS, { hiddenIfEmpty: LINE_COLUMNS });
  }
}
