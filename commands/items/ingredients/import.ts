import { importCommand } from '../../../src/cli/bulk/import-command.ts';
import { INGREDIENTS } from '../../../src/cli/bulk/resources.ts';

export default importCommand(
  INGREDIENTS,
  ['items ingredients import recipes.csv', 'items ingredients import recipes.csv --upsert ingredientItemId --dry-run'],
  'Import ingredients of items from a CSV, NDJSON or XLSX file',
);
