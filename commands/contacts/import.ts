import { ImportCommand, importArgs, importFlags } from '../../src/cli/bulk/import-command.ts';
import { CONTACTS } from '../../src/cli/bulk/resources.ts';

export default class ContactsImport extends ImportCommand {
  static override summary = 'Create many contacts from a CSV or NDJSON file';
  static override description =
    'Checks every row before the first is sent. Keeps to the rate limit of the key. Rows that the service refuses go to errors.ndjson with the reason; mended, that file can be imported itself. An import that was cut off goes on with --resume, and running it again creates nothing twice.';
  static override args = importArgs;
  static override flags = importFlags;
  static override examples = [
    '<%= config.bin %> contacts import customers.csv',
    "<%= config.bin %> contacts import addresses.csv --map 'Full name=name' --map 'Remarks=' --dry-run",
  ];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ContactsImport);
    await this.import(CONTACTS, { ...flags, file: args.file });
  }
}
