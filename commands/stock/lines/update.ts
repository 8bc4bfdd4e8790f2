import { ApiCommand } from '../../../src/cli/api-command.ts';
import { writeFlags } from '../../../src/cli/body.ts';
import { bodyFlags, paramArgs } from '../../../src/cli/operation-flags.ts';
import { updateStockLine } from '../../../src/contract/stock-lines.ts';

export default class StockLinesUpdate extends ApiCommand {
  static override summary = 'Change a line of a draft; what is not named stays as it is';
  static override args = paramArgs(updateStockLine);
  static override flags = { ...bodyFlags(updateStockLine, { itemId: 'What moves.' }), ...writeFlags };
  static override examples = [
    '<%= config.bin %> stock lines update 0197a3c0-7f20-7d11-8c42-1b6d5e9a2f30 0197a3c0-7f21-7a55-9e0b-4c8d2a6f1b73 --quantity 6',
    '<%= config.bin %> stock lines update 0197a3c0-7f20-7d11-8c42-1b6d5e9a2f30 0197a3c0-7f21-7a55-9e0b-4c8d2a6f1b73 --unit-cost 0.12',
  ];

  async run(): Promise<void> {
    await this.write(updateStockLine, await this.parse(StockLinesUpdate));
  }
}
