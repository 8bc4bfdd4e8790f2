import { exportCommand } from '../../src/cli/bulk/export-command.ts';
import { ORDER_EXPORT } from '../../src/cli/bulk/exports.ts';

export default exportCommand(
  ORDER_EXPORT,
  ['orders export sell --out sales.csv', 'orders export --status open --format ndjson'],
  'Export orders with their lines to CSV, NDJSON or XLSX',
);
