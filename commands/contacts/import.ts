import { importCommand } from '../../src/cli/bulk/import-command.ts';
import { CONTACTS } from '../../src/cli/bulk/resources.ts';

export default importCommand(CONTACTS, [
  'contacts import customers.csv',
  "contacts import addresses.csv --map 'Full name=name' --map 'Remarks=' --dry-run",
]);
