import { exportCommand } from '../../../src/cli/bulk/export-command.ts';
import { COUNT_SHEET } from '../../../src/cli/bulk/exports.ts';

export default exportCommand(
  COUNT_SHEET,
  ['stock counts export --out sheet.csv', 'stock counts export --site-id MAIN --category-id Coffee'],
  'Export a sheet for a stock count to CSV or XLSX',
);
