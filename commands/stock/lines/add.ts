import { StockLineCommand } from '../../../src/cli/base-commands/stock-line-command.ts';
import { writeFlags } from '../../../src/cli/input/request-body.ts';
import { bodyFlags, paramArgs } from '../../../src/cli/input/operation-flags.ts';
import { addStockLine } from '../../../src/contract/resources/stock-lines.ts';

export default class StockLinesAdd extends StockLineCommand {
  static override summary = 'Add a line to a draft';
  static override description = 'With --order-line-id, the item and the quantity default to those that are open in the line of the order.';
  static override args = paramArgs(addStockLine);
  static override flags = { ...bodyFlags(addStockLine, { itemId: 'Id of the item.' }), ...writeFlags };
  static override examples = [
    '<%= config.bin %> stock lines add RC-000003 --item-id 7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e --quantity 5',
    '<%= config.bin %> stock lines add RC-000003 --order-line-id 2 --quantity 5',
    '<%= config.bin %> stock lines add RC-000003 --item-id 7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e --counted-quantity 41 --expected-quantity 43',
  ];

  async run(): Promise<void> {
    await this.writeLine(addStockLine, await this.parse(StockLinesAdd));
  }
}
