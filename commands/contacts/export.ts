import { ExportCommand, exportFlags } from '../../src/cli/bulk/export-command.ts';
import { CONTACTS } from '../../src/cli/bulk/resources.ts';
import { listContacts } from '../../src/contract/resources/contacts.ts';

export default class ContactsExport extends ExportCommand {
  static override summary = 'Export contacts to CSV or NDJSON';
  static override description =
    'Exports all fields, oldest records first. With --out, the file is created when the export is complete; --resume continues an interrupted one.';
  static override flags = exportFlags(listContacts);
  static override examples = [
    '<%= config.bin %> contacts export --out contacts.csv',
    '<%= config.bin %> contacts export --format ndjson --is-active | gzip > contacts.ndjson.gz',
  ];

  async run(): Promise<void> {
    await this.export(CONTACTS, await this.parse(ContactsExport));
  }
}
