import { ExportCommand, exportFlags } from '../../src/cli/bulk/export-command.ts';
import { CONTACTS } from '../../src/cli/bulk/resources.ts';
import { listContacts } from '../../src/contract/contacts.ts';

export default class ContactsExport extends ExportCommand {
  static override summary = 'Export contacts with every column as CSV or NDJSON';
  static override description =
    'Oldest first, to stdout or with --out to a file that appears whole at the end. --resume goes on where an export to a file was cut off.';
  static override flags = exportFlags(listContacts);
  static override examples = [
    '<%= config.bin %> contacts export --out contacts.csv',
    '<%= config.bin %> contacts export --format ndjson --is-active | gzip > contacts.ndjson.gz',
  ];

  async run(): Promise<void> {
    await this.export(CONTACTS, await this.parse(ContactsExport));
  }
}
