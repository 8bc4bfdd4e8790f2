import { exportCommand } from '../../src/cli/bulk/export-command.ts';
import { ITEM_EXPORT } from '../../src/cli/bulk/exports.ts';

export default exportCommand(ITEM_EXPORT, [
  'items export --out items.csv',
  'items export --format ndjson --is-active | gzip > items.ndjson.gz',
]);
