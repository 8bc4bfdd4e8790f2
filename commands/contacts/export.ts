import { exportCommand } from '../../src/cli/bulk/export-command.ts';
import { CONTACTS } from '../../src/cli/bulk/resources.ts';

export default exportCommand(CONTACTS, [
  'contacts export --out contacts.csv',
  'contacts export --format ndjson --is-active | gzip > contacts.ndjson.gz',
]);
