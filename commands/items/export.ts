import { ExportCommand, exportFlags } from '../../src/cli/bulk/export-command.ts';
import { ITEMS } from '../../src/cli/bulk/resources.ts';
import { listItems } from '../../src/contract/items.ts';

export default class ItemsExport extends ExportCommand {
  static override summary = 'Export items with every column as CSV or NDJSON';
  static override description =
    'Oldest first, to stdout or with --out to a file that appears whole at the end. --resume goes on where an export to a file was cut off.';
  static override flags = exportFlags(listItems);
  static override examples = [
    '<%= config.bin %> items export --out items.csv',
    '<%= config.bin %> items export --format ndjson --is-active | gzip > items.ndjson.gz',
  ];

  async run(): Promise<void> {
    await this.export(ITEMS, await this.parse(ItemsExport));
  }
}
