import { ApiCommand } from '../../../src/cli/api-command.ts';
import { listFlags } from '../../../src/cli/operation-flags.ts';
import { LEVEL_ALERT, LEVEL_COLUMNS, LEVEL_WHOLE } from '../../../src/cli/stock-levels.ts';
import { listStockLevels } from '../../../src/contract/stock-levels.ts';

export default class StockLevels extends ApiCommand {
  static override summary = 'List what is on hand, promised and expected, per item and site';
  static override description =
    'The column ALERT says LOW at or below the reorder point, and BELOW ZERO when less than nothing is on hand.';
  static override flags = { ...listFlags(listStockLevels) };
  static override examples = [
    '<%= config.bin %> stock levels --low-stock',
    '<%= config.bin %> stock levels --search guji --columns item.name,site.name,onHand,stockValue',
    '<%= config.bin %> stock levels --item-type combo --sort available --all -o csv',
  ];

  async run(): Promise<void> {
    await this.list(listStockLevels, await this.parse(StockLevels), LEVEL_COLUMNS, {
      derived: LEVEL_ALERT,
      whole: LEVEL_WHOLE,
    });
  }
}
