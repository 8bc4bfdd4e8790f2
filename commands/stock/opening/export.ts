import { exportCommand } from '../../../src/cli/bulk/export-command.ts';
import { STOCK_ON_HAND } from '../../../src/cli/bulk/exports.ts';

export default exportCommand(
  STOCK_ON_HAND,
  ['stock opening export --out opening.csv', 'stock opening export --site-id MAIN'],
  'Export stock on hand with its cost to CSV',
);
