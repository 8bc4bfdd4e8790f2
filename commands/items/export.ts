import { ExportCommand, exportFlags } from '../../src/cli/bulk/export-command.ts';
import { ITEMS } from '../../src/cli/bulk/resources.ts';
import { listItems } from '../../src/contract/resources/items.ts';

export default class ItemsExport extends ExportCommand {
  static override summary = 'Export items to CSV or NDJSON';
  static override description =
    'Exports all fields, oldest records first. With --out, the file is created when the export is complete; --resume continues an interrupted one.';
  static override flags = exportFlags(listItems);
  static override examples = [
    '<%= config.bin %> items export --out items.csv',
    '<%= config.bin %> items export --format ndjson --is-active | gzip > items.ndjson.gz',
  ];

  async run(): Promise<void> {
    await this.export(ITEMS, await this.parse(ItemsExport));
  }
}
