import { exportCommand } from '../../src/cli/bulk/export-command.ts';
import { CONTACT_EXPORT } from '../../src/cli/bulk/exports.ts';

export default exportCommand(CONTACT_EXPORT, [
  'contacts export --out contacts.csv',
  'contacts export --format ndjson --is-active | gzip > contacts.ndjson.gz',
]);
