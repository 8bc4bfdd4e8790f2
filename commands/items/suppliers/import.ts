import { importCommand } from '../../../src/cli/bulk/import-command.ts';
import { SUPPLIER_TERMS } from '../../../src/cli/bulk/resources.ts';

export default importCommand(
  SUPPLIER_TERMS,
  ['items suppliers import terms.csv', 'items suppliers import terms.csv --upsert supplierId --decimal ,'],
  'Import suppliers of items and their terms from a file',
);
