import { ApiCommand } from '../../../src/cli/base-commands/api-command.ts';
import { listFlags } from '../../../src/cli/input/operation-flags.ts';
import { LEVEL_ALERT, LEVEL_COLUMNS, LEVEL_NEVER_TRUNCATED, LOW_STOCK_COLUMNS } from '../../../src/cli/views/stock-levels.ts';
import { listStockLevels } from '../../../src/contract/resources/stock-levels.ts';

export default class StockLevels extends ApiCommand {
  static override summary = 'List stock levels per item and site';
  static override description =
    'The ALERT column shows LOW at or below the reorder point, and BELOW ZERO for a negative quantity on hand. ' +
    'Rows of zeros are listed with --include-zero, with --updated-since if they changed, and with --item-id if the item has no other row.';
  static override flags = { ...listFlags(listStockLevels) };
  static override examples = [
    '<%= config.bin %> stock levels --low-stock',
    '<%= config.bin %> stock levels --search guji --columns item.name,site.name,onHand,stockValue',
    '<%= config.bin %> stock levels --item-type combo --sort available --all -o csv',
  ];

  async run(): Promise<void> {
    const parsed = await this.parse(StockLevels);
    // Other formats keep one order, for programs.
    const columns = this.format === 'table' && parsed.flags['low-stock'] === true ? LOW_STOCK_COLUMNS : LEVEL_COLUMNS;
    await this.list(listStockLevels, parsed, columns, {
      derived: LEVEL_ALERT,
      neverTruncated: LEVEL_NEVER_TRUNCATED,
    });
  }
}
