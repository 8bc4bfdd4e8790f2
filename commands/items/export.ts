import { exportCommand } from '../../src/cli/bulk/export-command.ts';
import { ITEMS } from '../../src/cli/bulk/resources.ts';

export default exportCommand(ITEMS, ['items export --out items.csv', 'items export --format ndjson --is-active | gzip > items.ndjson.gz']);
