import { operationCommand } from '../../../src/cli/command/operation-command.ts';
import { listRecords } from '../../../src/cli/records/list-records.ts';
import {
  LEVEL_ALERT,
  LEVEL_COLUMNS,
  LEVEL_NEVER_TRUNCATED,
  LEVEL_TABLE_COLUMNS,
  LOW_STOCK_COLUMNS,
} from '../../../src/cli/views/stock-levels.ts';
import { listStockLevels } from '../../../src/contract/resources/stock-levels.ts';

export default operationCommand(listStockLevels, {
  summary: 'List stock levels per item and site',
  description:
    'The ALERT column shows LOW at or below the reorder point, OVERSOLD if more is committed than on hand, and BELOW ZERO for a negative quantity on hand. ' +
    'Rows of zeros are listed with --include-zero, with --updated-since if they changed, and with --item-id if the item has no other row.',
  examples: [
    'stock levels --low-stock',
    'stock levels --search guji --columns item.name,site.name,onHand,stockValue',
    'stock levels --item-type combo --sort available --all -o csv',
    'stock levels --as-of 2026-06-30 --all -o csv',
  ],
  run(context) {
    const { flags, output } = context;
    // Other formats keep one order, for programs.
    const tableColumns = flags['low-stock'] === true ? LOW_STOCK_COLUMNS : LEVEL_TABLE_COLUMNS;
    const columns = output.format === 'table' ? tableColumns : LEVEL_COLUMNS;
    return listRecords(context, listStockLevels, columns, { derived: LEVEL_ALERT, neverTruncated: LEVEL_NEVER_TRUNCATED });
  },
});
