import { ApiCommand } from '../../../src/cli/base-commands/api-command.ts';
import { writeFlags } from '../../../src/cli/input/request-body.ts';
import { paramArgs } from '../../../src/cli/input/operation-flags.ts';
import { yesFlag } from '../../../src/cli/base-commands/service-command.ts';
import { removeStockLine } from '../../../src/contract/resources/stock-lines.ts';

export default class StockLinesRemove extends ApiCommand {
  static override summary = 'Remove a line from a draft';
  static override args = paramArgs(removeStockLine);
  static override flags = { ...yesFlag, 'dry-run': writeFlags['dry-run'] };
  static override examples = [
    '<%= config.bin %> stock lines remove RC-000003 0197a3c0-7f21-7a55-9e0b-4c8d2a6f1b73',
    '<%= config.bin %> stock lines remove RC-000003 0197a3c0-7f21-7a55-9e0b-4c8d2a6f1b73 --yes',
  ];

  async run(): Promise<void> {
    await this.remove(removeStockLine, await this.parse(StockLinesRemove), 'stock line');
  }
}
