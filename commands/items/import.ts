import { Flags } from '@oclif/core';
import { ImportCommand, importArgs, importFlags } from '../../src/cli/bulk/import-command.ts';
import { ITEMS } from '../../src/cli/bulk/resources.ts';

export default class ItemsImport extends ImportCommand {
  static override summary = 'Import items from a CSV or NDJSON file';
  static override description =
    'Validates all rows before sending the first; rejected rows are written to errors.ndjson, which can be fixed and imported. Rows imported in the last 24 hours are recognized by their values and skipped, also in a corrected file; --upsert changes imported records.';
  static override args = importArgs;
  static override flags = {
    ...importFlags,
    upsert: Flags.option({
      options: ['id', 'sku'] as const,
      description:
        'Update existing items with the same id or SKU; empty cells clear fields. Rows equal to their item are not sent. With id, rows without an id create items.',
    })(),
  };
  static override examples = [
    '<%= config.bin %> items import catalogue.csv',
    "<%= config.bin %> items import prices.csv --upsert sku --map 'Part no.=sku' --map 'Color='",
    '<%= config.bin %> items import items.csv --upsert id',
  ];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ItemsImport);
    await this.import(ITEMS, { ...flags, file: args.file });
  }
}
