import { Flags } from '@oclif/core';
import { ImportCommand, importArgs, importFlags } from '../../src/cli/bulk/import-command.ts';
import { ITEMS } from '../../src/cli/bulk/resources.ts';

export default class ItemsImport extends ImportCommand {
  static override summary = 'Create or change many items from a CSV or NDJSON file';
  static override description = `Checks every row before the first is sent. Keeps to the rate limit of the key. Rows that the service refuses go to errors.ndjson with the reason; mended, that file can be imported itself. An import that was cut off goes on with --resume, and running it again creates nothing twice.
An empty cell means "nothing": with --upsert it clears the field.`;
  static override args = importArgs;
  static override flags = {
    ...importFlags,
    upsert: Flags.option({ options: ['sku'] as const, description: 'Change the item that has the SKU of a row already.' })(),
  };
  static override examples = [
    '<%= config.bin %> items import catalogue.csv',
    "<%= config.bin %> items import prices.csv --upsert sku --map 'Part no.=sku' --map 'Colour='",
    '<%= config.bin %> items import catalogue.csv --resume',
  ];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ItemsImport);
    await this.import(ITEMS, { ...flags, file: args.file });
  }
}
