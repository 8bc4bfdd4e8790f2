import { exportCommand } from '../../../src/cli/bulk/export-command.ts';
import { SUPPLIER_EXPORT } from '../../../src/cli/bulk/exports.ts';

export default exportCommand(
  SUPPLIER_EXPORT,
  ['items suppliers export --out terms.csv', 'items suppliers export --category-id Packaging'],
  'Export suppliers of items and their terms to a file',
);
