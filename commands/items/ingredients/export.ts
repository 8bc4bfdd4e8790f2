import { exportCommand } from '../../../src/cli/bulk/export-command.ts';
import { INGREDIENT_EXPORT } from '../../../src/cli/bulk/exports.ts';

export default exportCommand(
  INGREDIENT_EXPORT,
  ['items ingredients export --out recipes.csv', 'items ingredients export --item-type combo'],
  'Export the ingredients of items to CSV, NDJSON or XLSX',
);
