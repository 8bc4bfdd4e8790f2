import { Flags } from '@oclif/core';
import { ImportCommand, importArgs, importFlags } from '../../src/cli/bulk/import-command.ts';
import { CONTACTS } from '../../src/cli/bulk/resources.ts';

export default class ContactsImport extends ImportCommand {
  static override summary = 'Import contacts from a CSV or NDJSON file';
  static override description =
    'Validates all rows before sending the first; rejected rows are written to errors.ndjson, which can be fixed and imported. Rows imported in the last 24 hours are recognized by their values and skipped, also in a corrected file; --upsert changes imported records.';
  static override args = importArgs;
  static override flags = {
    ...importFlags,
    upsert: Flags.option({
      options: ['id', 'email'] as const,
      description:
        'Update existing contacts with the same id or e-mail; empty cells clear fields. Rows equal to their contact are not sent. With id, rows without an id create contacts.',
    })(),
  };
  static override examples = [
    '<%= config.bin %> contacts import customers.csv',
    "<%= config.bin %> contacts import addresses.csv --map 'Full name=name' --map 'Remarks=' --dry-run",
  ];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ContactsImport);
    await this.import(CONTACTS, { ...flags, file: args.file });
  }
}
