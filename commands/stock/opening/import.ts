import { importCommand } from '../../../src/cli/bulk/import-command.ts';
import { OPENING_STOCK } from '../../../src/cli/bulk/resources.ts';

export default importCommand(
  OPENING_STOCK,
  ['stock opening import opening.csv --dry-run', 'stock opening import opening.csv --post'],
  'Import opening stock with its cost: one document per site',
);
