import { importCommand } from '../../src/cli/bulk/import-command.ts';
import { ORDERS } from '../../src/cli/bulk/resources.ts';

export default importCommand(
  ORDERS,
  ['orders import orders.csv', 'orders import webshop.csv --map Customer=contactId --dry-run'],
  'Import orders with their lines from CSV, NDJSON or XLSX',
);
