import { StockLineCommand } from '../../../src/cli/base-commands/stock-line-command.ts';
import { writeFlags } from '../../../src/cli/input/request-body.ts';
import { bodyFlags, paramArgs } from '../../../src/cli/input/operation-flags.ts';
import { updateStockLine } from '../../../src/contract/resources/stock-lines.ts';

export default class StockLinesUpdate extends StockLineCommand {
  static override summary = 'Update a line of a draft';
  static override description = 'Omitted fields are unchanged.';
  static override args = paramArgs(updateStockLine);
  static override flags = { ...bodyFlags(updateStockLine, { itemId: 'Id of the item.' }), ...writeFlags };
  static override examples = [
    '<%= config.bin %> stock lines update RC-000003 0197a3c0-7f21-7a55-9e0b-4c8d2a6f1b73 --quantity 6',
    '<%= config.bin %> stock lines update RC-000003 0197a3c0-7f21-7a55-9e0b-4c8d2a6f1b73 --unit-cost 0.12',
  ];

  async run(): Promise<void> {
    await this.writeLine(updateStockLine, await this.parse(StockLinesUpdate));
  }
}
