import { importCommand } from '../../../src/cli/bulk/import-command.ts';
import { STOCK_COUNTS } from '../../../src/cli/bulk/resources.ts';

export default importCommand(
  STOCK_COUNTS,
  ['stock counts import sheet.csv --dry-run', 'stock counts import sheet.csv --post'],
  'Import a stock count: one document per site',
);
